package datafile

import "testing"

// TestTotals: a last row that is the sum of the others is left out if its name is a word for a total in any language of pages, or empty,
// and never because of its name or its numbers alone.
func TestTotals(t *testing.T) {
	t.Parallel()
	const (
		left  = "line 5 is the total of the rows above it and was left out"
		kept  = "the last row looks like a total; it was kept, so that sums over all rows count it too"
		above = "region,amount\nN,10\nS,20\nW,30\n"
	)
	for _, word := range []string{
		"Total", "TOTAL", "Totals", "Sum", "Grand Total:", "Gesamt", "Gesamtsumme", "Summe", "Insgesamt", "Sous-total", "Total général",
		"Totale", "Итого", "合計", "合计", "합계", "المجموع", "Totaal", "Suma", "Soma", "Σ", "∑", "All", "Overall", "Total (all)", "Alle", "",
	} {
		finding{CSV, above + word + ",60\n", "region text N S W; amount integer 10 20 30", []string{left}}.check(t)
	}
	for _, word := range []string{"Total", "Gesamt", "合計"} {
		finding{CSV, above + word + ",99\n", "region text N S W " + word + "; amount integer 10 20 30 99", []string{kept}}.check(t)
	}
	for _, f := range []finding{
		{
			CSV, above + "Total,60\nTotal,60\n", "region text N S W Total Total; amount integer 10 20 30 60 60",
			[]string{"2 rows look like totals and were kept, so that sums over all rows count them too: lines 5 and 6"},
		},
		{
			CSV, "region,city,amount\nN,a,1\nN,b,2\nN,Subtotal,3\nS,c,4\nS,d,5\n",
			"region text N N N S S; city text a b Subtotal c d; amount integer 1 2 3 4 5",
			[]string{"1 row looks like a total and was kept, so that sums over all rows count it too: line 4"},
		},
		{
			CSV, "region,amount\nN,1\nZwischensumme,1\nS,2\nZwischensumme,2\nGesamt,3\n",
			"region text N Zwischensumme S Zwischensumme Gesamt; amount integer 1 1 2 2 3", nil, // most rows are totals
		},
		{
			JSON, `[{"k":"a","n":1},{"k":"b","n":2},{"k":"Summe","n":3},{"k":"Gesamt","n":3}]`,
			"k text a b Summe Gesamt; n integer 1 2 3 3",
			[]string{"2 rows look like totals and were kept, so that sums over all rows count them too: rows 3 and 4"},
		},
		{CSV, above + "All,99\n", "region text N S W All; amount integer 10 20 30 99", nil},
		{CSV, above + ",99\n", "region text N S W <nil>; amount integer 10 20 30 99", nil},
		{CSV, above + "X,60\n", "region text N S W X; amount integer 10 20 30 60", nil},
		{CSV, "region,amount\nN,1\nS,2\n,3\n", "region text N S <nil>; amount integer 1 2 3", nil},
		{CSV, "region,amount\nN,1\n,2\nS,3\n,6\n", "region text N <nil> S <nil>; amount integer 1 2 3 6", nil},
		{CSV, "region,amount,qty\nN,1,5\nS,2,6\n,3,11\n", "region text N S; amount integer 1 2; qty integer 5 6", []string{
			"line 4 is the total of the rows above it and was left out",
		}},
		{
			CSV, "region,amount,qty\nN,1,5\nS,2,6\nW,3,7\n,6,6\n",
			"region text N S W <nil>; amount integer 1 2 3 6; qty integer 5 6 7 6", nil,
		},
		{
			CSV, "region,city,amount\nN,a,1\nS,b,2\nW,c,3\n,d,6\n",
			"region text N S W <nil>; city text a b c d; amount integer 1 2 3 6", nil,
		},
		{CSV, "a,b\n1,10\n2,20\n3,30\n,60\n", "a integer 1 2 3 <nil>; b integer 10 20 30 60", nil},
		{
			CSV, "day,b\n2025-01-01,10\n2025-01-02,20\n2025-01-03,30\n,60\n",
			"day date 2025-01-01T00:00:00 2025-01-02T00:00:00 2025-01-03T00:00:00; b integer 10 20 30",
			[]string{left},
		},
		{
			CSV, "brand,sales,rate\nShell,10,0.5\nBP,30,0.1\nTotal,40,0.2\n", "brand text Shell BP; sales integer 10 30; rate number 0.5 0.1",
			[]string{"line 4 is the total of the rows above it and was left out"},
		},
		{CSV, "Region;Wert\nN;1.234,50\nS;20\nW;30\nGesamt;1.284,50\n", "Region text N S W; Wert number 1234.5 20 30", []string{
			left, `column "Wert": numbers written like 1.234,5`,
		}},
	} {
		f.check(t)
	}
}

// TestHeadless: a first row that certainly has values is a row, and a first row that may have values has a note.
func TestHeadless(t *testing.T) {
	t.Parallel()
	const (
		row   = "the first line holds values, not names; the columns are called column1, column2 and so on"
		names = "the first line was taken for the names of the columns, but some of them are numbers, as the values below are"
	)
	for _, f := range []finding{
		{
			CSV, "2025-01-01,5,x\n2025-01-02,6,y\n", "column1 date 2025-01-01T00:00:00 2025-01-02T00:00:00; column2 integer 5 6; column3 text x y",
			[]string{row},
		},
		{
			CSV, "x,31.12.2024\n\ny,\nz,1.1.2025\n",
			"column1 text x y z; column2 date 2024-12-31T00:00:00 <nil> 2025-01-01T00:00:00",
			[]string{"1 blank line was skipped: line 2", row},
		},
		{CSV, "x,true\ny,false\n", "column1 text x y; column2 boolean true false", []string{row}},
		{CSV, "1,2.5,a@b.c\n2,3.5,d@e.f\n", "1 integer 2; 2.5 number 3.5; a@b.c text d@e.f", []string{names}},
		{CSV, "1,2,3\n4,5,6\n", "1 integer 4; 2 integer 5; 3 integer 6", []string{names}},
		{CSV, "1,x\n2,y\n", "1 integer 2; x text y", []string{names}},
		{CSV, "day,5\n2025-01-01,6\n", "day date 2025-01-01T00:00:00; 5 integer 6", nil},
		{CSV, "name,2025-01-01\nx,5\n", "name text x; 2025-01-01 integer 5", nil},
		{CSV, "country,2019,2020\nDE,5,6\n", "country text DE; 2019 integer 5; 2020 integer 6", nil},
		{CSV, "name,2025-01-01\n", "name text; 2025-01-01 text", []string{
			`column "name": it has no values`, `column "2025-01-01": it has no values`,
		}},
		{JSON, `[["2025-01-01","x"],["2025-01-02","y"]]`, "column1 date 2025-01-01T00:00:00 2025-01-02T00:00:00; column2 text x y", []string{
			"the first array holds values, not names; the columns are called column1, column2 and so on",
		}},
	} {
		f.check(t)
	}
}
