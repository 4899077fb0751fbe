-- +goose Up

-- The program knows the kinds of channels, and checks a kind before it is stored: a new kind needs no migration.
ALTER TABLE channel DROP CONSTRAINT channel_kind_check;
