-- +goose Up

-- The tables that the SQL of a spec reads, for the audit of many dashboards at
-- once. Null: not known yet, as of versions that are older than the column.
ALTER TABLE version ADD COLUMN tables text[];
