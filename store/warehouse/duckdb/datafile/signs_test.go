package datafile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A finding is a file, the table that is read from it as show writes it, and all texts of the report.
type finding struct {
	format     Format
	data, want string
	report     []string
}

func (f finding) check(t *testing.T) {
	t.Helper()
	got, err := readFirst(f.format, []byte(f.data))
	if err != nil {
		t.Errorf("%q: %v", f.data, err)
		return
	}
	if s := show(got); s != f.want {
		t.Errorf("%q\n got %s\nwant %s", f.data, s, f.want)
	}
	if diff := cmp.Diff(f.report, said(got)); diff != "" {
		t.Errorf("%q: report: -want +got\n%s", f.data, diff)
	}
}

// TestOneDecimalSign: a column that certainly has one decimal sign decides how the others are read, and a column that nothing decides has a
// note.
func TestOneDecimalSign(t *testing.T) {
	t.Parallel()
	const (
		byComma  = `the dot is taken to separate thousands, because another column has a decimal comma`
		byDot    = `the comma is taken to separate thousands, because another column has a decimal dot`
		european = `numbers written like 1.234,5`
	)
	for _, f := range []finding{
		{
			CSV, "Land;Einwohner;Preis\nDE;83.123;1,50\nBE;3.645;2,10\nNW;17.912;3,00\n",
			"Land text DE BE NW; Einwohner integer 83123 3645 17912; Preis number 1.5 2.1 3",
			[]string{
				`column "Einwohner": numbers written like 1.234`, `column "Einwohner": ` + byComma, `column "Preis": ` + european,
			},
		},
		{
			CSV, "Land;Einwohner;Preis\nDE;83.123.456;1,50\nBE;3.645;2,10\n",
			"Land text DE BE; Einwohner integer 83123456 3645; Preis number 1.5 2.1",
			[]string{`column "Einwohner": numbers written like 1.234`, `column "Preis": ` + european},
		},
		{
			CSV, "Land;a;b\nDE;1.234,5;100\nBE;3.645;2.100\nNW;17.912;3.000\n",
			"Land text DE BE NW; a number 1234.5 3645 17912; b integer 100 2100 3000",
			[]string{`column "a": ` + european, `column "b": numbers written like 1.234`, `column "b": ` + byComma},
		},
		{CSV, "a;b\n1.234;1,234\n2.345;2,345\n", "a integer 1234 2345; b number 1.234 2.345", []string{
			`column "a": numbers written like 1.234`,
			`column "a": the dot is taken to separate thousands; it could be the decimal sign`,
			`column "b": ` + european,
			`column "b": the comma is taken for the decimal sign; it could separate thousands`,
		}},
		{TSV, "a\tb\n1.234\tX\n12.345\tY\n", "a number 1.234 12.345; b text X Y", []string{
			`column "a": the dot is taken for the decimal sign; it could separate thousands`,
		}},
		{CSV, "a;b\n1,234;2.5\n2,345;3.5\n", "a integer 1234 2345; b number 2.5 3.5", []string{
			`column "a": numbers written like 1,234`, `column "a": ` + byDot,
		}},
		{CSV, "a;b;c\n1.234;2.5;3,5\n2.345;3.5;4,5\n", "a number 1.234 2.345; b number 2.5 3.5; c number 3.5 4.5", []string{
			`column "a": the dot is taken for the decimal sign; it could separate thousands`,
			`column "c": ` + european,
		}},
		{CSV, "a,b,c\n83.123,\"1.234,50\",\"1,5\"\n3.645,2,\"2,5\"\n", "a integer 83123 3645; b number 1234.5 2; c number 1.5 2.5", []string{
			`column "a": numbers written like 1.234`, `column "a": ` + byComma, `column "b": ` + european, `column "c": ` + european,
		}},
		{CSV, "a;b\n1.234;5 €\n2.345;1,50 €\n", "a integer 1234 2345; b number 5 1.5", []string{
			`column "a": numbers written like 1.234`, `column "a": ` + byComma, `column "b": amounts in € read as numbers, written like 1234,5`,
		}},
		{CSV, "a\tb\n$1.234\t2.50\n$2.345\t3.50\n", "a number 1.234 2.345; b number 2.5 3.5", []string{
			`column "a": amounts in $ read as numbers`,
		}},
		{
			CSV, "v;ip;d\n1.5e-3;10.0.0.1;31.12.2025\n1.234;10.0.0.2;1.1.2026\n",
			"v number 0.0015 1.234; ip text 10.0.0.1 10.0.0.2; d date 2025-12-31T00:00:00 2026-01-01T00:00:00", nil,
		},
		{CSV, "city,pop\nA,83.123\nB,3.645\n", "city text A B; pop number 83.123 3.645", nil},
	} {
		f.check(t)
	}
}
