-- +goose Up

-- refresh_run and message are the queues of refreshes and messages. The tables of the library that was the queue before, river_*, are
-- no longer used; a later release drops them, because processes of the release before may still work beside this one.

ALTER TABLE refresh_run
  ADD COLUMN attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0), -- how often it was started
  ADD COLUMN traceparent text NOT NULL DEFAULT '';                      -- the span that queued it (W3C Trace Context); empty for none

ALTER TABLE message
  ADD COLUMN due_at timestamptz,                   -- when it is sent. Null: a test, or queued by the release before, which sends it
  ADD COLUMN process uuid,                         -- the process that sends it
  ADD COLUMN traceparent text NOT NULL DEFAULT '';
CREATE INDEX message_due ON message (due_at, id) WHERE state = 'queued' AND process IS NULL;
CREATE INDEX message_due_of ON message (workspace_id, due_at, id) WHERE state = 'queued' AND process IS NULL;
CREATE INDEX message_held ON message (process) WHERE state = 'queued' AND process IS NOT NULL;

-- New rows are announced to listening processes, also those that the release before inserts.
-- +goose StatementBegin
CREATE FUNCTION announce_work() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('service_queue', TG_TABLE_NAME);
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER announce AFTER INSERT ON refresh_run FOR EACH STATEMENT EXECUTE FUNCTION announce_work();
CREATE TRIGGER announce AFTER INSERT ON message FOR EACH STATEMENT EXECUTE FUNCTION announce_work();

-- The release before ends queued runs and messages without a row in river_job as lost. Those of this release have no such row.
-- +goose StatementBegin
CREATE FUNCTION keep_queued() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_queued BEFORE UPDATE OF error ON refresh_run FOR EACH ROW
  WHEN (NEW.error = 'The refresh was lost. Trigger it again.' AND OLD.state IN ('queued', 'running')) EXECUTE FUNCTION keep_queued();
CREATE TRIGGER keep_queued BEFORE UPDATE OF error ON message FOR EACH ROW
  WHEN (NEW.error = 'The message could not be sent.' AND OLD.state = 'queued') EXECUTE FUNCTION keep_queued();
