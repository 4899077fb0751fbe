-- +goose Up

-- The files that the SQL of a spec reads when there are several, or a dataset has one of its own:
-- [{table, dataset, upload}]. Null: there is none but upload_id.
ALTER TABLE version ADD COLUMN uploads jsonb
  CHECK (jsonb_typeof(uploads) = 'array'),
  ADD CHECK (uploads IS NULL OR connection_id IS NOT NULL);
CREATE INDEX version_uploads ON version USING gin (uploads jsonb_path_ops) WHERE uploads IS NOT NULL;
