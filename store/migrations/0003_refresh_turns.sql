-- +goose Up

-- When a refresh of the workspace last started: workspaces take turns. Null: never, or
-- before there were turns.
ALTER TABLE workspace ADD COLUMN served_at timestamptz;

-- The queued runs of each workspace, the oldest first.
CREATE INDEX refresh_queue ON refresh_run (workspace_id, id) WHERE state = 'queued';
