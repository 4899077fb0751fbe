package datafile

import "testing"

// TestReasons: a column that is text although a person may see numbers, dates, times, or true and false in it has a true reason.
func TestReasons(t *testing.T) {
	t.Parallel()
	for _, f := range []finding{
		// Numbers.
		{CSV, "a,b\n=\"00123\",1\n=\"00456\",2\n", "a text 00123 00456; b integer 1 2", []string{
			`2 values are written like ="00123" and read as 00123`,
			`column "a": it is text: some values begin with a zero, as codes do`,
		}},
		{CSV, "a,b\n\"=\"\"00,23\"\"\",1\n=\"4,6\",2\n", "a text 00,23 4,6; b integer 1 2", []string{
			`2 values are written like ="00123" and read as 00123`,
			`column "a": it is text: the commas in row 1 do not separate thousands or a fraction`,
		}},
		{CSV, "a,b\n=\"x\"&\"y\",1\n=\"z,2\n", `a text ="x"&"y" ="z; b integer 1 2`, nil},
		{CSV, "a\n\"1,23,456.50\"\n\"12,34,567.00\"\n", "a text 1,23,456.50 12,34,567.00", []string{
			`column "a": it is text: the number in row 1 is not written like 1,234.5 or 1.234,5`,
		}},
		{CSV, "a\n5\n\"1,23,456\"\n", "a text 5 1,23,456", []string{
			`column "a": it is text: the commas in row 2 do not separate thousands or a fraction`,
		}},
		{CSV, "a\n\"1.234,5\"\n\"1,234.5\"\n", "a text 1.234,5 1,234.5", []string{
			`column "a": it is text: its numbers are not all written in one way`,
		}},
		{CSV, "a,b\n1.234.567,1 234\n2.345.678,2 345\n", "a text 1.234.567 2.345.678; b text 1 234 2 345", []string{
			`column "a": it is text: its numbers have dots between thousands, and no column of the file has a decimal comma`,
			`column "b": it is text: its numbers have spaces between digits, as codes do, and no fraction`,
		}},
		{CSV, "a\n\"1,5\"\n\"2,25\"\n", "a text 1,5 2,25", []string{
			`column "a": it is text: its numbers have a decimal comma, which is read if another sign separates the columns`,
		}},
		{JSON, `[{"a":"1,5"},{"a":"2,25"}]`, "a text 1,5 2,25", []string{
			`column "a": it is text: its numbers have a decimal comma and are stored as text`,
		}},
		{CSV, "a\n(5.00)\n(6.00)\n", "a text (5.00) (6.00)", []string{
			`column "a": it is text: all its numbers are in brackets, which may not mean minus`,
		}},
		{CSV, "a\n5-\n6.50-\n7\n", "a text 5- 6.50- 7", []string{
			`column "a": it is text: a minus behind a number is not read; write it before the number`,
		}},
		{CSV, "a,b\n−5,−1.5\n6,−2.5\n", "a integer -5 6; b number -1.5 -2.5", []string{
			`column "a": the sign − (U+2212) is read as minus`, `column "b": the sign − (U+2212) is read as minus`,
		}},
		{CSV, "a\n00123\n-\n00456\n", "a text 00123 - 00456", []string{
			`column "a": it is text: some values begin with a zero, as codes do`,
		}},
		{CSV, "phone,ip\n+491234,10.0.0.1\n+491235,10.0.0.2\n", "phone text +491234 +491235; ip text 10.0.0.1 10.0.0.2", nil},
		// True and false.
		{CSV, "a,b,c\non,oui,да\noff,non,нет\n", "a text on off; b text oui non; c text да нет", []string{
			`column "a": it is text: "on" and "off" are not read as true and false`,
			`column "b": it is text: "oui" and "non" are not read as true and false`,
			`column "c": it is text: "да" and "нет" are not read as true and false`,
		}},
		{CSV, "a\non\non\n", "a text on on", nil},
		// Times.
		{CSV, "a\n10:30\n23:59:59\nn/a\n", "a text 10:30 23:59:59 n/a", []string{`column "a": it is text: its times have no date`}},
		{CSV, "a\n10:75\n1:2:3:4\n", "a text 10:75 1:2:3:4", nil},
		// Dates.
		{CSV, "d\n2025-01-01 00:00:00 UTC\n2025-01-02 00:00:00 UTC\n", "d date 2025-01-01T00:00:00 2025-01-02T00:00:00", []string{
			`column "d": all times are midnight in UTC, so they are read as dates`,
		}},
		{CSV, "d\n\"Wed, 01 Jan 2025 00:00:00 GMT\"\n", "d date 2025-01-01T00:00:00", []string{
			`column "d": all times are midnight in UTC, so they are read as dates`,
		}},
		{CSV, "d\n2025-01-01T02:00:00+02:00\n", "d date 2025-01-01T00:00:00", []string{
			`column "d": all times are midnight in UTC, so they are read as dates`,
		}},
		{CSV, "d\n2025-01-01 00:00:00\n", "d date 2025-01-01T00:00:00", nil},
		// Characters.
		{CSV, "a,b\n\xc3\xa4\xc3\xb6,1\nM\xfcnchen,2\n", "a text äö M\ufffdnchen; b integer 1 2", []string{
			"1 character could not be read and became U+FFFD, the sign for such characters",
		}},
	} {
		f.check(t)
	}
}
