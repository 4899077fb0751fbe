-- +goose Up

-- Clients whose id is the address of a document that describes them.
ALTER TABLE oauth_client ADD COLUMN fetched_at timestamptz; -- of the document; null: the client was registered
