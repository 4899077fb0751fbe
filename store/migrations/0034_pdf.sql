-- +goose Up

-- A delivery may have the page as a PDF.
ALTER TABLE subscription DROP CONSTRAINT subscription_attach_check;
ALTER TABLE subscription ADD CHECK (attach IN ('', 'csv', 'xlsx', 'pdf'));
