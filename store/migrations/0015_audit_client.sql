-- +goose Up

-- The client that did what an event says for the account, as it was called then: clients register anew and end. Null: the
-- account itself did it in the web application, or it happened before this column was there.
ALTER TABLE audit ADD COLUMN client text;
