-- +goose Up
-- How much a workspace stores is summed up from this index alone.
CREATE INDEX blob_storage ON blob (workspace_id) INCLUDE (size);
