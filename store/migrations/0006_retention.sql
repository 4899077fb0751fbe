-- +goose Up

-- What is deleted when it is old enough is found by its age.
CREATE INDEX refresh_finished ON refresh_run (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX audit_at ON audit (at);
CREATE INDEX activity_day ON activity (day);

-- When the last grant of the client ended that is deleted by now. Null: there was none.
ALTER TABLE oauth_client ADD COLUMN used_until timestamptz;
