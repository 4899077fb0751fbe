-- +goose Up

-- The bytes that queries over a connection read, by month in UTC. The connection's target, which is sealed, has the limits.
CREATE TABLE connection_usage (
  workspace_id  uuid NOT NULL,
  connection_id uuid NOT NULL,
  month         date NOT NULL CHECK (extract(day FROM month) = 1),
  bytes         bigint NOT NULL CHECK (bytes >= 0), -- read, or reserved by queries that run
  runs          bigint NOT NULL CHECK (runs > 0),   -- queries that were sent to run
  PRIMARY KEY (workspace_id, connection_id, month),
  FOREIGN KEY (workspace_id, connection_id) REFERENCES connection (workspace_id, id) ON DELETE CASCADE
);
