-- +goose Up

-- Row rules: the attributes of members, lists of texts by name, and the rules of a version's spec. A release before this one shows all rows:
-- rules are published once all replicas are replaced.
ALTER TABLE membership ADD COLUMN attributes jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(attributes) = 'object');
ALTER TABLE version ADD COLUMN access jsonb; -- [{data, column, is, channels}] of its spec; null: none
