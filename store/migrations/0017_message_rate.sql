-- +goose Up
-- How many messages channels got within an hour is counted at each one.
CREATE INDEX message_sent ON message (workspace_id, sent_at) WHERE channel_id IS NOT NULL AND account_id IS NULL;
