-- +goose Up

-- Members become editors, and viewers are new. A replica of the release before still writes the role member while
-- replicas are replaced, and some operators' scripts do: both mean editor.

-- +goose StatementBegin
CREATE FUNCTION member_is_editor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.role := 'editor';
  RETURN NEW;
END $$;
-- +goose StatementEnd

CREATE TRIGGER member_is_editor BEFORE INSERT OR UPDATE OF role ON membership
  FOR EACH ROW WHEN (NEW.role = 'member') EXECUTE FUNCTION member_is_editor();
CREATE TRIGGER member_is_editor BEFORE INSERT OR UPDATE OF role ON invitation
  FOR EACH ROW WHEN (NEW.role = 'member') EXECUTE FUNCTION member_is_editor();

ALTER TABLE membership DROP CONSTRAINT membership_role_check, ALTER COLUMN role SET DEFAULT 'editor';
ALTER TABLE invitation DROP CONSTRAINT invitation_role_check, ALTER COLUMN role SET DEFAULT 'editor';
UPDATE membership SET role = 'editor' WHERE role = 'member';
UPDATE invitation SET role = 'editor' WHERE role = 'member';
ALTER TABLE membership ADD CONSTRAINT membership_role_check CHECK (role IN ('owner', 'editor', 'viewer'));
ALTER TABLE invitation ADD CONSTRAINT invitation_role_check CHECK (role IN ('owner', 'editor', 'viewer'));
