-- +goose Up

-- The last backup by service backup, for a metric: at most one row.
CREATE TABLE backup (
  one         boolean PRIMARY KEY DEFAULT true CHECK (one),
  finished_at timestamptz NOT NULL,
  bytes       bigint NOT NULL CHECK (bytes > 0)
);
