-- +goose Up

-- From which file a version was published: {commit, path, hash}. Null: from none.
ALTER TABLE version ADD COLUMN code jsonb CHECK (jsonb_typeof(code) = 'object');
