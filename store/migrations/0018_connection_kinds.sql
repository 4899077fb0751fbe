-- +goose Up

-- The program knows the kinds of warehouses, and checks a kind before it is stored: a new kind needs no migration.
ALTER TABLE connection DROP CONSTRAINT connection_kind_check;
