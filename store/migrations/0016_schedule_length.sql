-- +goose Up

-- A schedule of tens of thousands of fields kept the loop that starts all of them from ever ending. One that is longer
-- than can be set any more is set off: its dashboard says so, and is refreshed by hand or by a new schedule.
DELETE FROM schedule WHERE char_length(expression) > 200 OR char_length(timezone) > 100;
ALTER TABLE schedule ADD CHECK (char_length(expression) <= 200), ADD CHECK (char_length(timezone) <= 100);
