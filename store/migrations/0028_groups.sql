-- +goose Up

-- Groups of the identity provider make memberships, and its claims give members attributes for row rules.
ALTER TABLE account
  ADD COLUMN groups   text[] NOT NULL DEFAULT '{}', -- as the provider last named them in a claim
  ADD COLUMN provided jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(provided) = 'object'); -- attributes, as the provider last named them
CREATE INDEX account_groups ON account USING gin (groups);

CREATE TABLE group_map ( -- the members of a group are members of a workspace
  workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
  name         text NOT NULL CHECK (btrim(name) <> '' AND char_length(name) <= 300), -- of the group, exactly as the provider writes it
  role         text NOT NULL CHECK (role IN ('owner', 'editor', 'viewer')),
  created_at   timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, name)
);
CREATE INDEX group_map_name ON group_map (name);

ALTER TABLE membership
  ADD COLUMN by_groups boolean NOT NULL DEFAULT false, -- groups made it, give it its role and end it
  ADD COLUMN provided  jsonb NOT NULL DEFAULT '{}';    -- the account's, for the statements that check a membership

CREATE TABLE group_exclusion ( -- somebody removed this person by hand: groups do not make them a member again
  workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
  account_id   uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  created_at   timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, account_id)
);
CREATE INDEX group_exclusion_account ON group_exclusion (account_id);

-- A membership always has the attributes of its account.
-- +goose StatementBegin
CREATE FUNCTION membership_provided() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.provided := coalesce((SELECT a.provided FROM account a WHERE a.id = NEW.account_id), '{}');
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER membership_provided BEFORE INSERT OR UPDATE OF provided ON membership FOR EACH ROW EXECUTE FUNCTION membership_provided();
-- +goose StatementBegin
CREATE FUNCTION account_provided() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE membership SET provided = NEW.provided WHERE account_id = NEW.id;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER account_provided AFTER UPDATE OF provided ON account
  FOR EACH ROW WHEN (NEW.provided IS DISTINCT FROM OLD.provided) EXECUTE FUNCTION account_provided();

-- Who is in which group.
CREATE VIEW account_group AS
  SELECT a.id AS account_id, g.name FROM account a, unnest(a.groups) AS g (name);

CREATE TABLE provider_token ( -- by which the provider is asked again about a person who signed in
  id           uuid PRIMARY KEY REFERENCES account ON DELETE CASCADE,
  secret       bytea,                  -- sealed refresh token; null: the provider no longer takes it, so the person must sign in again
  asked_at     timestamptz NOT NULL,
  leased_until timestamptz NOT NULL    -- until then one replica asks
);
