package duckdb_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/duckdb"
)

// real returns a file of testdata.
func real(t testing.TB, name string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// describe writes columns as "name type, name type".
func describe(in *warehouse.Ingested) string {
	var out []string
	for _, c := range in.Columns {
		out = append(out, c.Name+" "+string(c.Type))
	}
	return strings.Join(out, ", ")
}

func upload(data []byte) []warehouse.DataTable {
	return []warehouse.DataTable{{Name: "upload", Format: "parquet", Data: data}}
}

// TestIngestRealFiles reads realistic files, and queries the resulting tables.
func TestIngestRealFiles(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for _, tt := range []struct {
		file, columns string
		rows          int
		sql           string
		want          any
	}{
		{
			"seattle-weather.csv", "date date, precipitation number, temp_max number, temp_min number, wind number, weather text", 1461,
			"SELECT count(*) FROM upload WHERE date < '2013-01-01'", int64(366),
		},
		{
			"stocks.csv", "symbol text, date date, price number", 560,
			"SELECT count(DISTINCT date_trunc('year', date)) FROM upload", int64(11),
		},
		{
			"co2-concentration.csv", "Date date, CO2 number, adjusted CO2 number", 741,
			`SELECT max("adjusted CO2") > 400 FROM upload`, true,
		},
		{
			"unemployment.tsv", "id integer, rate number", 3218,
			"SELECT round(avg(rate), 3) FROM upload", 0.09,
		},
		{
			"us-employment.csv", usEmployment, 120,
			"SELECT round(sum(wholesale_trade)) FROM upload WHERE month < '2006-03-01'", 11695.0,
		},
		{
			"gapminder.json", "year integer, country text, cluster integer, pop integer, life_expect number, fertility number", 682,
			"SELECT sum(pop) > 5000000000 FROM upload WHERE year = 2005", true,
		},
		{
			"birdstrikes.csv", "Airport Name text, Aircraft Make Model text, Effect Amount of damage text, Flight Date date, " +
				"Aircraft Airline Operator text, Origin State text, Phase of flight text, Wildlife Size text, Wildlife Species text, " +
				"Time of day text, Cost Other integer, Cost Repair integer, Cost Total $ integer, Speed IAS in knots integer", 10000,
			`SELECT count(*) FROM upload WHERE "Speed IAS in knots" IS NULL`, int64(2836),
		},
		{
			"movies.json", "Title text, US Gross integer, Worldwide Gross integer, US DVD Sales integer, Production Budget integer, " +
				"Release Date date, MPAA Rating text, Running Time min integer, Distributor text, Source text, Major Genre text, " +
				"Creative Type text, Director text, Rotten Tomatoes Rating integer, IMDB Rating number, IMDB Votes integer", 3201,
			`SELECT count(*) FROM upload WHERE year("Release Date") = 1998`, int64(144),
		},
	} {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			in, err := e.Ingest(t.Context(), warehouse.Tenant{Workspace: uuid.Nil}, warehouse.DataFile{Name: tt.file, Data: real(t, tt.file)})
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(in); got != tt.columns {
				t.Errorf("columns\n got %s\nwant %s", got, tt.columns)
			}
			if in.Rows != tt.rows || len(in.Preview) != 20 {
				t.Errorf("%d rows and a preview of %d, want %d and 20", in.Rows, len(in.Preview), tt.rows)
			}
			t.Logf("%d bytes of Parquet; report %+v", len(in.Parquet), in.Report)
			c := e.Open(warehouse.Tenant{Workspace: uuid.New()}, "upload", upload(in.Parquet))
			got, _, err := ask(t.Context(), c, tt.sql)
			if err != nil {
				t.Fatal(err)
			}
			if got.rows[0][0] != tt.want {
				t.Errorf("%s\n got %v, want %v", tt.sql, got.rows[0][0], tt.want)
			}
			cols, err := c.Describe(context.Background(), "SELECT * FROM upload", nil)
			if err != nil || describe(&warehouse.Ingested{Rowset: warehouse.Rowset{Columns: cols}}) != tt.columns {
				t.Errorf("described as %v, %v", cols, err)
			}
		})
	}
}

const usEmployment = "month date, nonfarm integer, private integer, goods_producing integer, service_providing integer, " +
	"private_service_providing integer, mining_and_logging integer, construction integer, manufacturing integer, " +
	"durable_goods integer, nondurable_goods integer, trade_transportation_utilties integer, wholesale_trade number, " +
	"retail_trade number, transportation_and_warehousing number, utilities number, information integer, " +
	"financial_activities integer, professional_and_business_services integer, education_and_health_services integer, " +
	"leisure_and_hospitality integer, other_services integer, government integer, nonfarm_change integer"

// TestIngestParquet adopts a Parquet file of another program: all types that a dashboard lacks become text.
func TestIngestParquet(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	want := "b boolean, i integer, u integer, h integer, d number, n integer, f number, s text, day date, ts timestamp, tz instant, " +
		"l text, m text, j text, t text, U_1 text"
	in, err := e.Ingest(t.Context(), warehouse.Tenant{Workspace: uuid.Nil}, warehouse.DataFile{
		Name: "Types.PARQUET", Data: real(t, "types.parquet"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := describe(in); got != want {
		t.Errorf("columns\n got %s\nwant %s", got, want)
	}
	noon := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	row := []any{
		true, int64(-5), int64(7), cube.Decimal("18446744073709551615"), 12.5, int64(12), 0.1, "é", date(2024, 2, 29), noon, noon,
		`[1,2]`, `{"a":1}`, `{"x": 1}`, "10:11:12", "1b4e28ba-2fa1-11d2-883f-0016d3cca427",
	}
	if diff := cmp.Diff([][]any{row, make([]any, len(row))}, in.Preview); diff != "" || in.Rows != 2 {
		t.Errorf("%d rows\n%s", in.Rows, diff)
	}
	got, _, err := ask(t.Context(), e.Open(warehouse.Tenant{Workspace: uuid.New()}, "u", upload(in.Parquet)), "SELECT * FROM upload WHERE b")
	if diff := cmp.Diff([][]any{row}, got.rows); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

// TestIngestRefuses feeds hostile or damaged files. Each is refused with one error of the right class, and the engine keeps working.
func TestIngestRefuses(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	parquet := real(t, "types.parquet")
	broken := func(at, n int) []byte {
		data := slices.Clone(parquet)
		for i := range n {
			data[at+i] ^= 0xff
		}
		return data
	}
	for name, tt := range map[string]struct {
		file  string
		data  []byte
		class warehouse.Class
		says  string
	}{
		"over 5 MiB":             {"a.csv", make([]byte, duckdb.MaxFile+1), warehouse.TooLarge, "larger than 5242880 bytes"},
		"empty":                  {"a.csv", nil, warehouse.Refused, "empty"},
		"markup":                 {"a.csv", []byte("<html><script>x</script></html>"), warehouse.Refused, "HTML"},
		"no format":              {"a.exe", []byte("MZ"), warehouse.Refused, "must end in"},
		"a short row":            {"a.csv", []byte("a,b\n1\n"), warehouse.Syntax, "row 1"},
		"a workbook that swells": {"a.xlsx", zipBomb(t), warehouse.TooLarge, "unpacks to more"},
		"parquet: only magic":    {"a.parquet", []byte("PAR1PAR1PAR1"), warehouse.Syntax, "Parquet"},
		"parquet: cut":           {"a.parquet", append(slices.Clone(parquet[:len(parquet)/2]), "PAR1"...), warehouse.Syntax, "Parquet"},
		"parquet: bad footer":    {"a.parquet", broken(len(parquet)-200, 100), warehouse.Syntax, "Parquet"},
		"parquet: bad pages":     {"a.parquet", broken(10, 200), warehouse.Syntax, "Parquet"},
		"parquet: huge footer": {
			"a.parquet", append(slices.Clone(parquet[:len(parquet)-8]), "\xff\xff\xff\x7fPAR1"...),
			warehouse.Syntax, "Parquet",
		},
		"parquet that swells": {"a.parquet", real(t, "bomb.parquet"), warehouse.TooLarge, "memory"},
		"JSON, many columns":  {"a.ndjson", manyKeys(1000), warehouse.TooLarge, "more than 500 columns"},
		"JSON, many values":   {"a.ndjson", sparse(), warehouse.TooLarge, "values"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := e.Ingest(t.Context(), warehouse.Tenant{Workspace: uuid.Nil}, warehouse.DataFile{Name: tt.file, Data: tt.data})
			if class(err) != tt.class || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v (%s), want %s about %q", err, class(err), tt.class, tt.says)
			}
		})
	}
	t.Run("five million commas", func(t *testing.T) {
		t.Parallel()
		commas := bytes.Repeat([]byte(","), duckdb.MaxFile)
		_, err := e.Ingest(t.Context(), warehouse.Tenant{Workspace: uuid.Nil}, warehouse.DataFile{Name: "a.csv", Data: commas})
		if class(err) != warehouse.TooLarge {
			t.Errorf("got %v", err)
		}
	})
	t.Run("all workers go", func(t *testing.T) {
		in, err := e.Ingest(t.Context(), warehouse.Tenant{Workspace: uuid.Nil}, warehouse.DataFile{Name: "a.csv", Data: []byte("a\n1\n")})
		if err != nil || in.Rows != 1 {
			t.Errorf("got %+v, %v", in, err)
		}
	})
}

// TestIngestLarge reads a file of the largest size in reasonable time.
func TestIngestLarge(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	b.WriteString("day,region,orders,revenue\n")
	n := 0
	for ; b.Len() < duckdb.MaxFile-64; n++ {
		fmt.Fprintf(&b, "%s,region %d,%d,%d.25\n", date(2020, 1, 1+n%1000).Format(time.DateOnly), n%7, n, n%900)
	}
	e := newEngine(t)
	in, err := e.Ingest(t.Context(), warehouse.Tenant{Workspace: uuid.Nil}, warehouse.DataFile{Name: "a.csv", Data: b.Bytes()})
	if err != nil {
		t.Fatal(err)
	}
	if in.Rows != n || describe(in) != "day date, region text, orders integer, revenue number" {
		t.Errorf("%d rows of %d, %s", in.Rows, n, describe(in))
	}
	got, _, err := ask(t.Context(), e.Open(warehouse.Tenant{Workspace: uuid.New()}, "u", upload(in.Parquet)), "SELECT sum(orders) FROM upload")
	if err != nil || got.rows[0][0] != int64(n)*int64(n-1)/2 {
		t.Errorf("got %v, %v", got.rows, err)
	}
}

// zipBomb is a workbook whose sheet unzips to 100 MiB.
func zipBomb(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("xl/worksheets/sheet1.xml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(w, zeros{}, 100<<20); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// manyKeys is rows that each bring a column.
func manyKeys(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "{\"k%d\":1}\n", i)
	}
	return b.Bytes()
}

// sparse is a file of few bytes a row and 500 columns, all filled at the end.
func sparse() []byte {
	b := bytes.NewBuffer(manyKeys(499))
	for range 200_000 {
		b.WriteString("{\"a\":1}\n")
	}
	for i := range 499 {
		fmt.Fprintf(b, "{\"k%d\":1}\n", i)
	}
	return b.Bytes()
}
