-- +goose Up

-- The order of day and month in dates that fit both, as a person sets it for an upload, and the file as it was uploaded, to read it again
-- in the other order.
ALTER TABLE upload
  ADD COLUMN dates text NOT NULL DEFAULT '' CHECK (dates IN ('', 'day_first', 'month_first')),
  ADD COLUMN dated boolean, -- whether a column fits both orders; null: uploaded before this was kept
  ADD COLUMN original bytea CHECK (original IS NULL OR dated), -- SHA-256 of the file as it was uploaded
  ADD COLUMN sheets_sha256 bytea, -- of all sheets of a workbook; null: it has one table
  ADD FOREIGN KEY (workspace_id, original) REFERENCES blob (workspace_id, sha256) DEFERRABLE INITIALLY DEFERRED;
CREATE INDEX upload_original ON upload (workspace_id, original) WHERE original IS NOT NULL;

ALTER TABLE upload_file
  ADD COLUMN dates text NOT NULL DEFAULT '' CHECK (dates IN ('', 'day_first', 'month_first')),
  ADD COLUMN dated boolean,
  ADD COLUMN original bytea CHECK (original IS NULL OR dated),
  ADD COLUMN sheets_sha256 bytea,
  ADD UNIQUE (workspace_id, upload_id, id),
  ADD FOREIGN KEY (workspace_id, original) REFERENCES blob (workspace_id, sha256) DEFERRABLE INITIALLY DEFERRED;
CREATE INDEX upload_file_original ON upload_file (workspace_id, original) WHERE original IS NOT NULL;

-- The sheets of a workbook, in its order. The table of the upload is the first one that was read. Workbooks that were uploaded before have
-- none here.
CREATE TABLE upload_sheet (
  workspace_id uuid NOT NULL,
  upload_id    uuid NOT NULL,
  file_id      uuid,             -- of another file of the upload; null: of its own
  position     integer NOT NULL CHECK (position > 0),
  name         text NOT NULL,
  state        text NOT NULL CHECK (state IN ('read', 'hidden', 'empty', 'chart', 'unread')),
  reason       text NOT NULL DEFAULT '' CHECK ((state = 'unread') = (reason <> '')),
  row_count    integer NOT NULL DEFAULT 0 CHECK (row_count >= 0),
  columns      jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(columns) = 'array'),
  report       jsonb NOT NULL DEFAULT '{}',
  preview      jsonb NOT NULL DEFAULT '[]',
  sha256       bytea CHECK ((state = 'read') = (sha256 IS NOT NULL)), -- of its converted rows
  FOREIGN KEY (workspace_id, upload_id) REFERENCES upload (workspace_id, id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, upload_id, file_id) REFERENCES upload_file (workspace_id, upload_id, id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, sha256) REFERENCES blob (workspace_id, sha256) DEFERRABLE INITIALLY DEFERRED
);
CREATE UNIQUE INDEX upload_sheet_position ON upload_sheet (workspace_id, upload_id, coalesce(file_id, upload_id), position);
CREATE INDEX upload_sheet_file ON upload_sheet (workspace_id, upload_id, file_id) WHERE file_id IS NOT NULL;
CREATE INDEX upload_sheet_blob ON upload_sheet (workspace_id, sha256) WHERE sha256 IS NOT NULL;
