-- +goose Up

-- A feed is a dataset whose stored rows a dataset of a version reads: of another dashboard of the workspace, or of the same spec.
CREATE TABLE feed (
  workspace_id uuid NOT NULL,
  version_id   uuid NOT NULL,  -- that reads
  dataset      text NOT NULL,  -- of that version
  place        integer NOT NULL CHECK (place BETWEEN 0 AND 9),
  dashboard_id uuid,           -- that is read, by its id, so that renames hold; null: the same spec. No foreign key: an erased one is not found
  slug         text NOT NULL,  -- of it, as the spec has it; empty: the same spec
  of_dataset   text NOT NULL,  -- that is read
  seen_version uuid,           -- of the other dashboard, that the last refresh read; null: none was found
  seen_sha256  bytea,          -- of the rows that it read; null: there were none
  PRIMARY KEY (workspace_id, version_id, dataset, place),
  FOREIGN KEY (workspace_id, version_id) REFERENCES version (workspace_id, id) ON DELETE CASCADE,
  CHECK ((dashboard_id IS NULL) = (slug = '')),
  CHECK (dashboard_id IS NOT NULL OR seen_version IS NULL AND seen_sha256 IS NULL)
);
CREATE INDEX feed_of ON feed (workspace_id, dashboard_id) WHERE dashboard_id IS NOT NULL;

-- What the read datasets say of the columns, and which datasets a version offers to other dashboards: [{id, description}].
ALTER TABLE dataset ADD COLUMN said jsonb CHECK (jsonb_typeof(said) = 'object');
ALTER TABLE version ADD COLUMN offers jsonb CHECK (jsonb_typeof(offers) = 'array');
CREATE INDEX version_offers ON version (workspace_id, id) WHERE offers IS NOT NULL;

-- Row rules come along with rows that are read: such a rule in version.access has "along", the dataset that it is from.
ALTER TABLE version ADD CHECK (jsonb_typeof(access) = 'array') NOT VALID;

-- Rows that others read have changed.
ALTER TABLE refresh_run DROP CONSTRAINT refresh_run_cause_check,
  ADD CONSTRAINT refresh_run_cause_check CHECK (cause IN ('publish', 'restore', 'trigger', 'schedule', 'upload', 'feed'));
