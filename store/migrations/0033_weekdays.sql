-- +goose Up

-- A page may also be sent on the first or last of Monday to Friday of each month: 117 to 157, see dashboard.MonthWeekday.
-- +goose StatementBegin
DO $$
DECLARE
  c record;
BEGIN
  FOR c IN SELECT conname FROM pg_constraint WHERE conrelid = 'subscription'::regclass AND contype = 'c'
              AND pg_get_constraintdef(oid) LIKE '%WHEN ''monthly''%' LOOP
    EXECUTE format('ALTER TABLE subscription DROP CONSTRAINT %I', c.conname);
  END LOOP;
END $$;
-- +goose StatementEnd
ALTER TABLE subscription ADD CHECK (CASE every WHEN 'weekly' THEN day BETWEEN 0 AND 6
  WHEN 'monthly' THEN day BETWEEN 1 AND 31 OR day >= 110 AND day <= 157 AND day % 10 <= 7 ELSE day = 0 END);
