-- +goose Up

-- People and groups that the identity provider provisions by SCIM.
CREATE TABLE scim_user (
  id          uuid PRIMARY KEY,
  user_name   text NOT NULL CHECK (user_name <> ''),
  external_id text,                   -- the provider's own id
  account_id  uuid NOT NULL UNIQUE REFERENCES account ON DELETE CASCADE,
  active      boolean NOT NULL,
  body        jsonb NOT NULL,         -- the attributes as they were written
  created_at  timestamptz NOT NULL,
  updated_at  timestamptz NOT NULL
);
CREATE UNIQUE INDEX scim_user_name ON scim_user (lower(user_name));
CREATE UNIQUE INDEX scim_user_external ON scim_user (external_id) WHERE external_id IS NOT NULL;

CREATE TABLE scim_group (
  id           uuid PRIMARY KEY,
  display_name text NOT NULL UNIQUE CHECK (btrim(display_name) <> '' AND char_length(display_name) <= 300),
  external_id  text,
  created_at   timestamptz NOT NULL,
  updated_at   timestamptz NOT NULL
);
CREATE TABLE scim_group_member (
  group_id uuid NOT NULL REFERENCES scim_group ON DELETE CASCADE,
  user_id  uuid NOT NULL REFERENCES scim_user ON DELETE CASCADE,
  PRIMARY KEY (group_id, user_id)
);
CREATE INDEX scim_group_member_user ON scim_group_member (user_id);

ALTER TABLE account ADD COLUMN removed_at timestamptz; -- the provider removed the person; null: it did not

-- Who is in which group. A group that SCIM provisions has the people that SCIM lists, whatever a claim names.
CREATE OR REPLACE VIEW account_group AS
  SELECT a.id AS account_id, g.name FROM account a, unnest(a.groups) AS g (name)
   WHERE a.removed_at IS NULL AND NOT EXISTS (SELECT FROM scim_group s WHERE s.display_name = g.name)
  UNION
  SELECT u.account_id, s.display_name FROM scim_user u
    JOIN scim_group_member m ON m.user_id = u.id JOIN scim_group s ON s.id = m.group_id WHERE u.active;

-- A person whom the provider removed gets no session, grant or trust, also not by a request that was under way. The lock makes the
-- removal wait for such a request, whose row it then ends.
-- +goose StatementBegin
CREATE FUNCTION refuse_removed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  gone timestamptz;
BEGIN
  SELECT a.removed_at INTO gone FROM account a WHERE a.id = NEW.account_id FOR SHARE;
  IF gone IS NOT NULL THEN
    RAISE EXCEPTION 'the identity provider removed this person' USING ERRCODE = 'SV403';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER refuse_removed BEFORE INSERT ON web_session FOR EACH ROW EXECUTE FUNCTION refuse_removed();
CREATE TRIGGER refuse_removed BEFORE INSERT ON oauth_grant FOR EACH ROW EXECUTE FUNCTION refuse_removed();
CREATE TRIGGER refuse_removed BEFORE INSERT ON trust FOR EACH ROW EXECUTE FUNCTION refuse_removed();
