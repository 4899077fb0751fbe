package datafile

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFound reads values as people write them and files as people arrange them: it shows the columns, types, rows, and all texts of the
// report.
func TestFound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		format     Format
		data, want string
		report     []string
	}{
		// Amounts.
		{CSV, "a\n\"$1,234.50\"\n$5\n($12.00)\n$ -\n-$3\n", "a number 1234.5 5 -12 0 -3", []string{
			`column "a": amounts in $ read as numbers, written like 1,234.5`,
			`column "a": numbers in brackets read as negative`,
			`column "a": a dash beside the sign of the currency read as 0`,
		}},
		{CSV, "a\n\"$1,234\"\n", "a integer 1234", []string{
			`column "a": amounts in $ read as numbers, written like 1,234.5`,
			`column "a": the comma is taken to separate thousands; it could be the decimal sign`,
		}},
		{CSV, "a\n$1.899\n$2\n", "a number 1.899 2", []string{
			`column "a": amounts in $ read as numbers`,
			`column "a": the dot is taken for the decimal sign; it could separate thousands`,
		}},
		{CSV, "a;b\n1.234 €;12,5 %\n5 €;-3 %\n", "a integer 1234 5; b number 0.125 -0.03", []string{
			`column "a": amounts in € read as numbers, written like 1.234,5`,
			`column "a": the dot is taken to separate thousands, because another column has a decimal comma`,
			`column "b": percentages read as shares of one, as the percent formats want them: 12.5 % is 0.125, written like 1234,5`,
		}},
		{CSV, "a\n\"1.234,50 €\"\n\"€ 12,00\"\nEUR 7\nn/a\n", "a number 1234.5 12 7 <nil>", []string{
			`column "a": amounts in € read as numbers, written like 1.234,5`,
			`column "a": read as no value: "n/a"`,
			"a: 1 without value, from row 4",
		}},
		{CSV, "a\nUSD 5\nUSD 6.25\n", "a number 5 6.25", []string{
			`column "a": amounts in USD read as numbers`,
		}},
		{CSV, "a\n\"CHF 1'234.50\"\nCHF 7\n", "a text CHF 1'234.50 CHF 7", []string{
			`column "a": it is text: its numbers have something beside them; amounts may have one of $ € £ ¥ USD EUR GBP JPY, or %`,
		}},
		{CSV, "a\n\"$1'234.50\"\n$7\n", "a number 1234.5 7", []string{
			`column "a": amounts in $ read as numbers, written like 1'234.5`,
		}},
		{CSV, "a\n\"₹1,23,456.78\"\n₹5\n", "a text ₹1,23,456.78 ₹5", []string{
			`column "a": it is text: its numbers have something beside them; amounts may have one of $ € £ ¥ USD EUR GBP JPY, or %`,
		}},
		{CSV, "a\n\"$1,23,456.78\"\n$5\n", "a text $1,23,456.78 $5", []string{
			`column "a": it is text: the number in row 1 is not written like 1,234.5 or 1.234,5`,
		}},
		{CSV, "a\n12 kr\n5 kr\n\n7\n", "a text 12 kr 5 kr 7", []string{
			"1 blank line was skipped: line 4",
			`column "a": it is text: its numbers have something beside them; amounts may have one of $ € £ ¥ USD EUR GBP JPY, or %`,
		}},
		{CSV, "a\n¥5\nUS$6\n", "a text ¥5 US$6", []string{
			`column "a": it is text: its numbers have something beside them; amounts may have one of $ € £ ¥ USD EUR GBP JPY, or %`,
		}},
		{CSV, "a\n£5\nGBP 6\n", "a integer 5 6", []string{
			`column "a": amounts in £ read as numbers`,
		}},
		{CSV, "a\n\"1.234,50\"\n2\n", "a number 1234.5 2", []string{
			`column "a": numbers written like 1.234,5`,
		}},
		{CSV, "a\n$5\n€6\n", "a text $5 €6", []string{
			`column "a": it is text: it has amounts in several currencies, $ and €`,
		}},
		{CSV, "a\n$5\n6\n$7\n", "a integer 5 6 7", []string{
			`column "a": amounts in $ read as numbers`,
			`column "a": 1 value is taken to be in the same currency without its sign, the first in row 2`,
		}},
		{CSV, "a\n5\n6\n$7\n", "a text 5 6 $7", []string{
			`column "a": it is text: most values have no sign of a currency, but some have`,
		}},
		{CSV, "a\n$1.5\n$abc\n", "a text $1.5 $abc", nil},
		{CSV, "a\nTOP 10\nTOP 20\n", "a text TOP 10 TOP 20", []string{
			`column "a": it is text: its numbers have something beside them; amounts may have one of $ € £ ¥ USD EUR GBP JPY, or %`,
		}},
		{CSV, "a\n12 kg\n5 kg\n", "a text 12 kg 5 kg", []string{
			`column "a": it is text: its numbers have something beside them; amounts may have one of $ € £ ¥ USD EUR GBP JPY, or %`,
		}},
		{CSV, "a\n$007\n$5\n", "a text $007 $5", []string{
			`column "a": it is text: the number in row 1 is not written like 1,234.5 or 1.234,5`,
		}},
		{CSV, "a\n(123.45)\n17\n", "a number -123.45 17", []string{
			`column "a": numbers in brackets read as negative`,
		}},
		{CSV, "a\n(1)\n(2)\n", "a text (1) (2)", []string{
			`column "a": it is text: all its numbers are in brackets, which may not mean minus`,
		}},
		{CSV, "a;b\n1 234,5;1 000 000\n7;2\n", "a number 1234.5 7; b text 1 000 000 2", []string{
			`column "a": numbers written like 1 234,5`,
			`column "b": it is text: its numbers have spaces between digits, as codes do, and no fraction`,
		}},
		{CSV, "a\n612 345 678\n613 345 679\n", "a text 612 345 678 613 345 679", []string{
			`column "a": it is text: its numbers have spaces between digits, as codes do, and no fraction`,
		}},
		{CSV, "a\n12.5 %\n7%\n0\n+3%\n", "a number 0.125 0.07 0 0.03", []string{
			`column "a": percentages read as shares of one, as the percent formats want them: 12.5 % is 0.125`,
		}},
		{CSV, "a\n\"12,5%\"\n\"1,25%\"\n", "a number 0.125 0.0125", []string{
			`column "a": percentages read as shares of one, as the percent formats want them: 12.5 % is 0.125, written like 1234,5`,
		}},
		{CSV, "a\n5%\n6\n", "a text 5% 6", []string{
			`column "a": it is text: some values have a percent sign and others have none`,
		}},

		// Yes and no.
		{CSV, "a\ny\nn\nY\n\n", "a boolean true false true", []string{
			"1 blank line was skipped: line 5",
			`column "a": "y" and "n" read as true and false`,
		}},
		{CSV, "a\nJa\nNein\n-\n", "a text Ja Nein -", []string{
			`column "a": it is text: "ja" and "nein" are not read as true and false`,
		}},
		{CSV, "a,b\nyes,N\nyes,N\n", "a text yes yes; b text N N", nil},
		{CSV, "a\nyes\nno\nmaybe\n", "a text yes no maybe", nil},
		{CSV, "a\nWAHR\nFALSCH\n", "a text WAHR FALSCH", []string{
			`column "a": it is text: "wahr" and "falsch" are not read as true and false`,
		}},
		{CSV, "a\nN\nS\nE\n", "a text N S E", nil},
		{CSV, "a\n1\n0\n", "a integer 1 0", nil},

		// Identifiers.
		{CSV, "plz\n01067\n10115\n", "plz text 01067 10115", []string{
			`column "plz": it is text: some values begin with a zero, as codes do`,
		}},
		{CSV, "zip,phone\n10115,5551234567\n10117,5551234568\n", "zip integer 10115 10117; phone integer 5551234567 5551234568", nil},
		{CSV, "email,phone\n12,7\n8,1234\n", "email integer 12 8; phone integer 7 1234", nil},
		{
			CSV, "us,tweet id\n1704067200000000,1704067200000000000\n1704067200000001,1704067200000000001\n",
			"us integer 1704067200000000 1704067200000001; tweet id integer 1704067200000000000 1704067200000000001", nil,
		},
		{CSV, "p\n555-1234\n+49 30 1234\n", "p text 555-1234 +49 30 1234", nil},
		{CSV, "version\n1.2\n1.10\n", "version text 1.2 1.10", []string{
			`column "version": it is text, because of its name: as numbers, versions 1.1 and 1.10 would be the same`,
		}},
		{CSV, "v\n1.2.3\n1.10\n", "v text 1.2.3 1.10", nil},
		{CSV, "card\n4111111111111111\nNA\n4111111111111129\n", "card integer 4111111111111111 <nil> 4111111111111129", []string{
			`column "card": read as no value: "NA"`,
			"card: 1 without value, from row 2",
		}},
		{CSV, "conversion rate\n1.2\n1.10\n", "conversion rate number 1.2 1.1", nil},
		{CSV, "n\n1234567890123456\n7\n", "n integer 1234567890123456 7", nil},
		{CSV, "n\n123456789012345678901\n7\n", "n text 123456789012345678901 7", []string{
			`column "n": it is text: some whole numbers have more digits than a number keeps`,
		}},
		{CSV, "n\n9007199254740993\n0.5\n", "n text 9007199254740993 0.5", []string{
			`column "n": it is text: some whole numbers have more digits than a number keeps`,
		}},
		{CSV, "n\n0.12345678901234567890\n1\n", "n number 0.12345678901234568 1", []string{
			`column "n": 1 value was rounded to the 15 to 17 digits that a number keeps: row 1`,
		}},
		{CSV, "n\n0.30000000000000004\n1\n", "n number 0.30000000000000004 1", nil},
		{CSV, "ip\n10.0.0.1\n10.0.0.2\n", "ip text 10.0.0.1 10.0.0.2", nil},
		{CSV, "e\n1704067200\n1704067201\n", "e integer 1704067200 1704067201", nil},

		// No value.
		{CSV, "n\n1\nNA\nn/a\nnull\n-\n#N/A\n\\N\n", "n integer 1 <nil> <nil> <nil> <nil> <nil> <nil>", []string{
			`column "n": read as no value: "NA", "n/a", "null", "-", "#N/A", "\N"`,
			"n: 6 without value, from row 2",
		}},
		{CSV, "t\nNA\nDE\n", "t text NA DE", nil},

		// Lines.
		{CSV, "a,b\n1,2\n\n3,4\n   \n,,\n5,6\n", "a integer 1 3 5; b integer 2 4 6", []string{
			"3 blank lines were skipped: lines 3, 5 and 6",
		}},
		{CSV, "a\n1\n\n\"\"\n2\n", "a integer 1 <nil> 2", []string{
			"1 blank line was skipped: line 3",
		}},
		{CSV, "a,b,c\n1,2,3\n4,5\n6,7,8\n", "a integer 1 4 6; b integer 2 5 7; c integer 3 <nil> 8", []string{
			"1 row has fewer values than there are columns, the rest of it is empty: line 3",
		}},
		{CSV, "a,b\n1,2,,\n3,4,,\n", "a integer 1 3; b integer 2 4", nil},
		{CSV, "\n\na,b\n1,2\n", "a integer 1; b integer 2", []string{
			"2 blank lines were skipped: lines 1 and 2",
		}},
		{CSV, "a,b\r1,2\r3,4", "a integer 1 3; b integer 2 4", nil},
		{CSV, "a,b\r\n1,\"x\r\ny\"\r\n2,z\r\n", "a integer 1 2; b text x\ny z", nil},
		{CSV, "sep=;\r\na;b\r\n1,5;2\r\n", "a number 1.5; b integer 2", []string{
			`column "a": numbers written like 1.234,5`,
		}},
		{CSV, "\"sep=|\"\na|b\n1|2\n", "a integer 1; b integer 2", nil},
		{CSV, "a,b\n1,5\" pipe\n2, \"quoted, yes\" \n", `a integer 1 2; b text 5" pipe quoted, yes`, nil},
		{CSV, "a;b\n\"1;2\";\"x \"\"y\"\"\"\n", `a text 1;2; b text x "y"`, nil},
		{CSV, "a;b\n1,5;2,5\n1,6;2,7\n", "a number 1.5 1.6; b number 2.5 2.7", []string{
			`column "a": numbers written like 1.234,5`,
			`column "b": numbers written like 1.234,5`,
		}},
		{TSV, "a\tb\n1\t\"open\n2\tx\n", `a integer 1 2; b text "open x`, []string{
			"the quotation marks do not match, so they were read as any other character",
		}},
		{CSV, "\xef\xbb\xbfa,b\n1,ü\n", "a integer 1; b text ü", nil},
		{CSV, "\xff\xfea\x00,\x00b\x00\n\x001\x00,\x00\xe9\x00\n\x00", "a integer 1; b text é", nil},
		{CSV, "a\x00,\x00b\x00\n\x001\x00,\x00\xe9\x00\n\x00", "a integer 1; b text é", []string{
			"the file does not say how its text is written; it was read as UTF-16",
		}},
		{CSV, "a\ncaf\xe9 \x80\n", "a text café €", []string{
			"the text is not UTF-8; it was read as Windows-1252",
		}},
		{CSV, "a\nö ü ä \xc3\n", "a text ö ü ä �", []string{
			"1 character could not be read and became U+FFFD, the sign for such characters",
		}},
		{CSV, "a\nx\x81\n", "a text x�", []string{
			"the text is not UTF-8; it was read as Windows-1252",
			"1 character could not be read and became U+FFFD, the sign for such characters",
		}},

		// Names.
		{CSV, "a,A,,a\n1,2,3,4\n", "a integer 1; A_2 integer 2; column3 integer 3; a_3 integer 4", []string{
			`column 2: the name "A" is used twice; this one is now "A_2"`,
			`column 3 has no name; it is now "column3"`,
			`column 4: the name "a" is used twice; this one is now "a_3"`,
		}},
		{CSV, "2024-01-01,5.5\n2024-01-02,6\n", "column1 date 2024-01-01T00:00:00 2024-01-02T00:00:00; column2 number 5.5 6", []string{
			"the first line holds values, not names; the columns are called column1, column2 and so on",
		}},
		{CSV, "5\n6\n7\n", "column1 integer 5 6 7", []string{
			"the first line holds values, not names; the columns are called column1, column2 and so on",
		}},
		{CSV, "0,1\n7.5,8\n", "0 number 7.5; 1 integer 8", []string{
			"the first line was taken for the names of the columns, but some of them are numbers, as the values below are",
		}},
		{CSV, "2019,2020\n5,6\n", "2019 integer 5; 2020 integer 6", nil},
		{CSV, "country,2019,2020\nx,5,6\n", "country text x; 2019 integer 5; 2020 integer 6", nil},
		{CSV, "day,2024-01-01,2024-01-02\nx,5,6\n", "day text x; 2024-01-01 integer 5; 2024-01-02 integer 6", nil},

		// Around the table.
		{
			CSV, "Sales report\nCreated 2024-01-01\n\nday,amount\n2024-01-01,5\n2024-01-02,6\n\nSource: own data\n",
			"day date 2024-01-01T00:00:00 2024-01-02T00:00:00; amount integer 5 6",
			[]string{
				"2 blank lines were skipped: lines 3 and 7",
				"left out above the table: lines 1 and 2",
				"left out below the table: line 8",
			},
		},
		{
			CSV, "Sales,,\nday,amount,country\n2024-01-01,5,DE\n2024-01-02,6,FR\nTotal,11,\n",
			"day date 2024-01-01T00:00:00 2024-01-02T00:00:00; amount integer 5 6; country text DE FR",
			[]string{
				"left out above the table: line 1",
				"line 5 is the total of the rows above it and was left out",
			},
		},
		{CSV, "day,amount\n2024-01-01,5\n2024-01-02,6\nTotal,12\n", "day text 2024-01-01 2024-01-02 Total; amount integer 5 6 12", []string{
			"the last row looks like a total; it was kept, so that sums over all rows count it too",
		}},
		{
			CSV, "day,amount\n2024-01-01,5\n2024-01-02,6\nSumme,11\n",
			"day date 2024-01-01T00:00:00 2024-01-02T00:00:00; amount integer 5 6",
			[]string{"line 4 is the total of the rows above it and was left out"},
		},
		{CSV, "sex,n\nTotal,3\nmale,1\nTotal,2\n", "sex text Total male Total; n integer 3 1 2", nil},

		// Dates.
		{CSV, "d\n31.12.2006\n1.2.2006\n", "d date 2006-12-31T00:00:00 2006-02-01T00:00:00", nil},
		{CSV, "d\n12/31/2006\n1/2/2006\n", "d date 2006-12-31T00:00:00 2006-01-02T00:00:00", []string{
			`column "d": dates read with the month first, as in 12/31/2006`,
		}},
		{CSV, "d\n1/2/2006\n", "d date 2006-01-02T00:00:00", []string{
			`column "d": dates read with the month first, as in 12/31/2006`,
			`column "d": both orders of day and month fit; this one was assumed`,
		}},
		{CSV, "d\n31/12/2006\n12/31/2006\n", "d text 31/12/2006 12/31/2006", []string{
			`column "d": it is text: its dates have day and month in both orders, the month first in row 2 and the day first in row 1`,
		}},
		{
			CSV, "created,closed\n13/02/2024,01/02/2024\n14/02/2024,02/02/2024\n",
			"created date 2024-02-13T00:00:00 2024-02-14T00:00:00; closed date 2024-02-01T00:00:00 2024-02-02T00:00:00",
			[]string{
				`column "created": dates read with the day first, as in 31/12/2006`,
				`column "closed": dates read with the day first, as in 31/12/2006`,
				`column "closed": both orders of day and month fit; another column of the file decides it`,
			},
		},
		{CSV, "d;x\n01/02/2024;1,5\n", "d date 2024-02-01T00:00:00; x number 1.5", []string{
			`column "d": dates read with the day first, as in 31/12/2006`,
			`column "d": both orders of day and month fit; the file's numbers with commas decide it`,
			`column "x": numbers written like 1.234,5`,
		}},
		{CSV, "w,q\n2024-W05,2024-Q1\n2024-W06,2024-Q2\n", "w text 2024-W05 2024-W06; q text 2024-Q1 2024-Q2", nil},
		{CSV, "t\n2024-01-01T10:00:00+02:00\n2024-01-01T10:00:00\n", "t instant 2024-01-01T08:00:00 2024-01-01T10:00:00", []string{
			`column "t": times with an offset are turned into UTC`,
			`column "t": 1 value has no offset, which is taken for UTC, the first in row 2`,
		}},
		{CSV, "t\n2024-01-01T00:00:00+02:00\n2024-01-02T00:00:00+02:00\n", "t date 2024-01-01T00:00:00 2024-01-02T00:00:00", []string{
			`column "t": all times are midnight of their zone, so they are read as dates`,
		}},
		{CSV, "t\n2024-01-01T10:20:30.123456789Z\n", "t instant 2024-01-01T10:20:30", []string{
			`column "t": seconds are cut to microseconds, the first in row 1`,
		}},
		{CSV, "t\n2024-01-01 10:00 CET\n", "t text 2024-01-01 10:00 CET", nil},

		// JSON.
		{JSON, `[["a","b"],[1,"x"],[2]]`, "a integer 1 2; b text x <nil>", []string{
			"1 row has fewer values than there are columns, the rest of it is empty: row 3",
		}},
		{JSON, `[[1,"x"],[2,"y"]]`, "column1 integer 1 2; column2 text x y", []string{
			"the first array holds values, not names; the columns are called column1, column2 and so on",
		}},
		{NDJSON, "[\"a\",\"b\"]\n[1,2]\n", "a integer 1; b integer 2", nil},
		{JSON, `{"meta":{"n":2},"data":[{"a":1},{"a":2}]}`, "a integer 1 2", []string{
			`the rows are those of "data"; left out: "meta"`,
		}},
		{JSON, `{"data":[{"a":1},{"a":2}]}`, "a integer 1 2", nil},
		{JSON, `{"id":1,"tags":[{"x":1}]}`, `id integer 1; tags text [{"x":1}]`, []string{
			`column "tags": arrays and objects are kept as JSON text`,
		}},
		{JSON, `[{"a":9007199254740993},{"a":0.5}]`, "a text 9007199254740993 0.5", []string{
			`column "a": it is text: some whole numbers have more digits than a number keeps`,
		}},
		{JSON, `[{"a":12345678901234567890}]`, "a text 12345678901234567890", []string{
			`column "a": it is text: some whole numbers have more digits than a number keeps`,
		}},
		{JSON, `[{"a":9007199254740993},{"a":1}]`, "a integer 9007199254740993 1", nil},
		{JSON, `[{"a":1},{"a":"NA"}]`, "a integer 1 <nil>", []string{
			`column "a": read as no value: "NA"`,
			"a: 1 without value, from row 2",
		}},
		{JSON, `[{"a":"$5.00"},{"a":"$6.50"}]`, "a number 5 6.5", []string{
			`column "a": amounts in $ read as numbers`,
		}},
		{JSON, `[{"a":"5"},{"a":"6"}]`, "a text 5 6", nil},
		{JSON, `[{"a":"yes"},{"a":"no"}]`, "a boolean true false", []string{
			`column "a": "yes" and "no" read as true and false`,
		}},
		{JSON, `[{"a":{"b":[1, 2]}},{"a":[ ]},{"a":null}]`, `a text {"b":[1,2]} [] <nil>`, []string{
			`column "a": arrays and objects are kept as JSON text`,
		}},
		{JSON, `[{"a":{"b":1}},{"a":2}]`, `a text {"b":1} 2`, []string{
			`column "a": it has values of several types and is text`,
		}},
		{JSON, `[{"a":1},{"a":"x"},{"a":true}]`, "a text 1 x true", []string{
			`column "a": it has values of several types and is text`,
		}},
	} {
		got, err := readFirst(tt.format, []byte(tt.data))
		if err != nil {
			t.Errorf("%q: %v", tt.data, err)
			continue
		}
		if s := show(got); s != tt.want {
			t.Errorf("%q\n got %s\nwant %s", tt.data, s, tt.want)
		}
		if diff := cmp.Diff(tt.report, said(got)); diff != "" {
			t.Errorf("%q: report: -want +got\n%s", tt.data, diff)
		}
	}
}

// said returns all texts of a report.
func said(t *Table) []string {
	out := t.Report.Notes
	for _, c := range t.Report.Cells {
		out = append(out, fmt.Sprintf("%s: %d without value, from row %d", c.Column, c.Count, c.FirstRow))
	}
	return out
}
