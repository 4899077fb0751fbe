-- +goose Up

-- Colours of the values of a dashboard's columns: {column: {value: number of the palette}}. They outlive versions.
ALTER TABLE dashboard ADD COLUMN colors jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(colors) = 'object');
