-- +goose Up

-- Files that an upload had before the one that it has, and one that waits until its owner decides: what
-- it would break is shown first.
CREATE TABLE upload_file (
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,         -- UUIDv7: sorts by time
  upload_id    uuid NOT NULL,
  filename     text NOT NULL,
  size         integer NOT NULL CHECK (size >= 0),
  row_count    integer NOT NULL CHECK (row_count >= 0),
  columns      jsonb NOT NULL CHECK (jsonb_typeof(columns) = 'array'),
  report       jsonb NOT NULL,
  preview      jsonb NOT NULL,
  sha256       bytea NOT NULL,
  created_at   timestamptz NOT NULL,  -- when it was uploaded, or became the upload's own again
  replaced_at  timestamptz CHECK (replaced_at >= created_at), -- null: it waits
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, upload_id) REFERENCES upload (workspace_id, id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, sha256) REFERENCES blob (workspace_id, sha256) DEFERRABLE INITIALLY DEFERRED
);
CREATE UNIQUE INDEX upload_file_waiting ON upload_file (workspace_id, upload_id) WHERE replaced_at IS NULL;
CREATE INDEX upload_file_earlier ON upload_file (workspace_id, upload_id, replaced_at DESC, id DESC);
CREATE INDEX upload_file_blob ON upload_file (workspace_id, sha256);
