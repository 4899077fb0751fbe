-- +goose Up

-- The orders of listings of dashboards, besides that of the primary key: a page is read
-- from the index, however many dashboards a workspace has.
CREATE INDEX dashboard_name ON dashboard (workspace_id, lower(name), id);
CREATE INDEX dashboard_updated ON dashboard (workspace_id, updated_at, id);
CREATE INDEX dashboard_stale ON dashboard (workspace_id, coalesce(refreshed_at, '-infinity'), id);
