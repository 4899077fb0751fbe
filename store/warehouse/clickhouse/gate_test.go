package clickhouse

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard/cube"
)

func TestGateLetsAnalysisThrough(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		"SELECT toDate(at) AS day, sum(amount), uniqExact(user), quantile(0.9)(ms) FROM events GROUP BY day ORDER BY day LIMIT 10",
		"WITH x AS (SELECT 1 AS a) SELECT * FROM x, numbers(10) AS n JOIN view(SELECT 1) AS v ON 1 = 1",
		"SELECT * FROM t ARRAY JOIN arrayMap(x -> x + 1, list) AS l", "SELECT extract(YEAR FROM toDate(at)), trim(BOTH 'a' FROM lower(b)) FROM t",
		"SELECT count() FROM db.t FINAL SAMPLE 1 / 10 PREWHERE a WHERE b GROUP BY c WITH TOTALS HAVING count() > 1",
		"SELECT a ? b : c, t.settings, `format`, format('{}', a) FROM t", "FROM t SELECT a", "(SELECT 1) UNION ALL (SELECT 2)",
		"SELECT decodeURLComponent(u), URLHash(u), domain(u) FROM t;",
		"SELECT a FROM t WHERE b IN (SELECT c FROM d) AND e IN tuple(1, 2)",
		"SELECT sum(a) OVER (PARTITION BY b ORDER BY c ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t -- end",
	} {
		if _, _, err := check(sql, nil); err != nil {
			t.Errorf("%s\n%v", sql, err)
		}
	}
}

// Table functions of other hosts are refused in every form that some release has, such as those of clusters.
func TestGateRefusesOtherHosts(t *testing.T) {
	t.Parallel()
	for _, name := range strings.Fields(`s3 s3Cluster gcsCluster ossCluster cosnCluster hdfsCluster azureBlobStorageCluster icebergCluster
		icebergLocalCluster deltaLakeCluster hudiCluster paimonCluster ytsaurusCluster`) {
		for _, form := range []string{"SELECT * FROM %s('a')", "SELECT * FROM `%s` ('a')", "SELECT 1 IN (SELECT * FROM %s/**/('a'))"} {
			if _, _, err := check(fmt.Sprintf(form, name), nil); err == nil {
				t.Errorf("%s passes the gate", fmt.Sprintf(form, name))
			}
		}
	}
}

func TestArgumentsHaveTheirTypes(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)
	c := &Connector{}
	sql := "SELECT "
	args := []any{"it's {p2:String}", int64(7), 1.5, true, nil, day, day.Add(90 * time.Minute)}
	for i := range args {
		sql += c.Placeholder(i+1) + ", "
	}
	got, values, err := check(sql+"'{p1:String}' -- {p1:String}", args)
	want := "SELECT {p1:String}, {p2:Int64}, {p3:Float64}, {p4:Bool}, {p5:Nullable(String)}, {p6:Date32}, " +
		"{p7:DateTime64(6, 'UTC')}, '{p1:String}' -- {p1:String}"
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if diff := cmp.Diff(map[string]string{
		"p1": "it's {p2:String}", "p2": "7", "p3": "1.5", "p4": "true", "p5": null, "p6": "2026-02-03", "p7": "2026-02-03 01:30:00.000000",
	}, values); diff != "" {
		t.Error(diff)
	}
	if _, _, err := check("SELECT {p1:String}", []any{"a\x00b"}); err == nil {
		t.Error("a NUL can be sent, which stands for NULL")
	}
	if _, _, err := check("SELECT 1", []any{"a"}); err == nil {
		t.Error("a value can be left over")
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.FixedZone("", 7200))
	text := "x"
	var none *string
	for _, try := range []struct {
		dataType string
		value    any
		kind     cube.Type
		want     any
	}{
		{"UInt8", uint8(1), cube.Integer, int64(1)},
		{"Int64", int64(-1), cube.Integer, int64(-1)},
		{"UInt64", uint64(1), cube.Integer, int64(1)},
		{"UInt64", uint64(1 << 63), cube.Integer, cube.Decimal("9223372036854775808")},
		{"Nullable(Int32)", (*int32)(nil), cube.Integer, nil},
		{"Float32", float32(0.1), cube.Number, 0.1},
		{"Int128", big.NewInt(5), cube.Integer, int64(5)},
		{"Bool", true, cube.Boolean, true},
		{"LowCardinality(Nullable(String))", &text, cube.Text, "x"},
		{"LowCardinality(Nullable(String))", none, cube.Text, nil},
		{"String", "\x00\xff", cube.Text, `\x00ff`},
		{"Date", at, cube.Date, time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)},
		{"DateTime64(3, 'Europe/Berlin')", at, cube.Instant, at.UTC()},
		{"Array(Int8)", []int8{1, 2}, cube.Text, "[1,2]"},
		{"Map(String, UInt8)", map[string]uint8{"a": 1}, cube.Text, `{"a":1}`},
		{"SimpleAggregateFunction(sum, Int64)", int64(3), cube.Integer, int64(3)},
	} {
		c := cellOf("v", try.dataType)
		got, _, err := c.value(try.value)
		if diff := cmp.Diff(try.want, got); diff != "" || err != nil || c.kind != try.kind {
			t.Errorf("%s: %s, %v, %s", try.dataType, diff, err, c.kind)
		}
	}
}
