-- +goose Up

-- The processes that refresh dashboards. One that has not renewed its row for some
-- seconds is dead, and its runs are given to others.
CREATE TABLE refresh_process (
  id         uuid PRIMARY KEY,
  renewed_at timestamptz NOT NULL
);

-- Who performs a run. Null: nobody, or a release that has no row above.
ALTER TABLE refresh_run ADD COLUMN process uuid;
