package duckdb_test

import (
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"service/store/warehouse"
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

// TestIngestRealFiles reads files as people have them, and queries what came of
// them.
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
			in, err := e.Ingest(t.Context(), tt.file, real(t, tt.file))
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
			c := e.Open(uuid.New(), "upload", upload(in.Parquet))
			got, _, err := ask(t.Context(), c, tt.sql)
			if err != nil {
				t.Fatal(err)
			}
			if got.rows[0][0] != tt.want {
				t.Errorf("%s\n got %v, want %v", tt.sql, got.rows[0][0], tt.want)
			}
			cols, err := c.Describe(context.Background(), "SELECT * FROM upload", nil)
			if err != nil || describe(&warehouse.Ingested{Columns: cols}) != tt.columns {
				t.Errorf("described as %v, %v", cols, err)
			}
		})
	}
}

const usEmployment = "month date, nonfarm integer, private integer, goods_producing integer, service_providing integer, private_service_providing integer, mining_and_logging integer, construction integer, manufacturing integer, durable_goods integer, nondurable_goods integer, trade_transportation_utilties integer, wholesale_trade number, retail_trade number, transportation_and_warehousing number, utilities number, information integer, financial_activities integer, professional_and_business_services integer, education_and_health_services integer, leisure_and_hospitality integer, other_services integer, government integer, nonfarm_change integer"
