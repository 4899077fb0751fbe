package clickhouse

import (
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

func TestGateRefuses(t *testing.T) {
	t.Parallel()
	for class, statements := range map[string][]string{
		"other systems": {
			"SELECT * FROM url('http://169.254.169.254/', CSV)", "SELECT * FROM URL('http://a/', CSV)", "SELECT * FROM urlCluster('c', 'http://a/')", "SELECT * FROM remote('10.0.0.1', system.one)", "SELECT * FROM remoteSecure('a', system.one)",
			"SELECT * FROM s3('http://a/')", "SELECT * FROM s3Cluster('c', 'a')", "SELECT * FROM gcs('a')", "SELECT * FROM hdfs('a')", "SELECT * FROM azureBlobStorage('a')", "SELECT * FROM azureBlobStorageCluster('a')", "SELECT * FROM mysql('a:3306', 'd', 't', 'u', 'p')",
			"SELECT * FROM postgresql('a', 'd', 't', 'u', 'p')", "SELECT * FROM mongodb('a')", "SELECT * FROM redis('a', 'k', 's')", "SELECT * FROM jdbc('a', 't')", "SELECT * FROM odbc('a', 't')", "SELECT * FROM sqlite('a', 't')", "SELECT * FROM cluster('c', system.one)",
			"SELECT * FROM clusterAllReplicas('c', system.one)", "SELECT * FROM iceberg('a')", "SELECT * FROM icebergS3('a')", "SELECT * FROM deltaLake('a')", "SELECT * FROM hudi('a')", "SELECT * FROM paimonS3('a')", "SELECT * FROM arrowFlight('a')", "SELECT * FROM ytsaurus('a')",
			"SELECT * FROM prometheusQuery('a')", "SELECT hasColumnInTable('10.0.0.1', 'd', 't', 'c')", "SELECT aiGenerateContent('a')", "SELECT * FROM somethingNew('http://a/')",
		},
		"files and programs": {"SELECT * FROM file('/etc/passwd')", "SELECT file('/etc/passwd')", "SELECT * FROM fileCluster('c', 'a')", "SELECT * FROM executable('a', TSV, 'x String')", "SELECT * FROM input('x String')", "SELECT 1 INTO OUTFILE 'x'", "SELECT catboostEvaluate('m', 1)"},
		"hidden": {
			"SELECT * FROM `url`('http://a/')", "SELECT * FROM \"url\"('http://a/')", "SELECT * FROM /* x */ url/* y */('http://a/')", "SELECT * FROM numbers(1), url('http://a/')", "SELECT * FROM a JOIN url('http://a/') USING (x)", "SELECT * FROM a JOIN somethingNew('x') AS b ON 1",
			"SELECT (SELECT * FROM somethingNew('x'))", "WITH x AS (SELECT * FROM somethingNew('x')) SELECT * FROM x", "SELECT 1 WHERE 1 IN (SELECT * FROM somethingNew('x'))", "FROM somethingNew('x') SELECT *", "SELECT 1 UNION ALL SELECT * FROM somethingNew('x')", "SELECT * FROM db.f(1)",
			"SELECT * FROM (FROM somethingNew('x') SELECT 1)", "SELECT * FROM view(SELECT * FROM somethingNew('x'))",
		},
		"settings and formats": {"SELECT 1 SETTINGS readonly = 0", "SELECT 1 settings max_execution_time = 0", "SELECT * FROM (SELECT 1 SETTINGS readonly = 0)", "SELECT 1 FORMAT JSON", "SELECT 1 FORMAT Null"},
		"waiting":              {"SELECT sleep(3)", "SELECT sleepEachRow(1) FROM numbers(100)", "SELECT * FROM loop(numbers(1))"},
		"other statements": {
			"INSERT INTO t VALUES (1)", "INSERT INTO FUNCTION url('http://a/') SELECT 1", "CREATE TABLE t (a Int8) ENGINE = Memory", "DROP TABLE t", "ALTER TABLE t DELETE WHERE 1", "TRUNCATE TABLE t", "RENAME TABLE a TO b", "OPTIMIZE TABLE t", "SYSTEM SHUTDOWN", "KILL QUERY WHERE 1", "SET readonly = 0",
			"GRANT ALL ON *.* TO a", "ATTACH TABLE t", "DETACH TABLE t", "EXCHANGE TABLES a AND b", "BACKUP TABLE t TO Disk('a')", "RESTORE TABLE t FROM Disk('a')", "USE system", "SHOW TABLES", "DESCRIBE t", "EXPLAIN SELECT 1", "EXISTS t", "CHECK TABLE t", "WATCH v", "DELETE FROM t WHERE 1", "UPDATE t SET a = 1 WHERE 1", "",
		},
		"several statements":           {"SELECT 1; DROP TABLE t", "SELECT 1;;SELECT 2", "SELECT 1 -- \n; DROP TABLE t"},
		"where the readers may differ": {"SELECT $$ ' $$, sleep(1), $$ ' $$", "SELECT ‘a’", "SELECT '\\'", "SELECT /* /* */ sleep(1) */ 1", "SELECT 1 /*", "SELECT {x:String}", "SELECT {p2:String}", "SELECT {p1:UInt8}", "SELECT 1\x00"},
	} {
		for _, sql := range statements {
			if out, _, err := gate(sql, []any{"a"}[:min(1, len(sql)%2)]); err == nil {
				t.Errorf("%s: %s passes as %s", class, sql, out)
			} else if bad, ok := errors.AsType[*warehouse.Error](err); !ok || bad.Class != warehouse.Refused {
				t.Errorf("%s: %s: %v", class, sql, err)
			}
		}
	}
}

func TestGateLetsAnalysisThrough(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		"SELECT toDate(at) AS day, sum(amount), uniqExact(user), quantile(0.9)(ms) FROM events GROUP BY day ORDER BY day LIMIT 10",
		"WITH x AS (SELECT 1 AS a) SELECT * FROM x, numbers(10) AS n JOIN view(SELECT 1) AS v ON 1 = 1", "SELECT * FROM t ARRAY JOIN arrayMap(x -> x + 1, list) AS l", "SELECT extract(YEAR FROM toDate(at)), trim(BOTH 'a' FROM lower(b)) FROM t",
		"SELECT count() FROM db.t FINAL SAMPLE 1 / 10 PREWHERE a WHERE b GROUP BY c WITH TOTALS HAVING count() > 1", "SELECT a ? b : c, t.settings, `format`, format('{}', a) FROM t", "FROM t SELECT a", "(SELECT 1) UNION ALL (SELECT 2)", "SELECT decodeURLComponent(u), URLHash(u), domain(u) FROM t;",
		"SELECT a FROM t WHERE b IN (SELECT c FROM d) AND e IN tuple(1, 2)", "SELECT sum(a) OVER (PARTITION BY b ORDER BY c ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t -- end",
	} {
		if _, _, err := gate(sql, nil); err != nil {
			t.Errorf("%s\n%v", sql, err)
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
	got, values, err := gate(sql+"'{p1:String}' -- {p1:String}", args)
	want := "SELECT {p1:String}, {p2:Int64}, {p3:Float64}, {p4:Bool}, {p5:Nullable(String)}, {p6:Date32}, {p7:DateTime64(6, 'UTC')}, '{p1:String}' -- {p1:String}"
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if diff := cmp.Diff(map[string]string{"p1": "it's {p2:String}", "p2": "7", "p3": "1.5", "p4": "true", "p5": null, "p6": "2026-02-03", "p7": "2026-02-03 01:30:00.000000"}, values); diff != "" {
		t.Error(diff)
	}
	if _, _, err := gate("SELECT {p1:String}", []any{"a\x00b"}); err == nil {
		t.Error("a NUL can be sent, which stands for NULL")
	}
	if _, _, err := gate("SELECT 1", []any{"a"}); err == nil {
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
		{"UInt64", uint64(1 << 63), cube.Number, float64(1 << 63)},
		{"Nullable(Int32)", (*int32)(nil), cube.Integer, nil},
		{"Float32", float32(0.1), cube.Number, 0.1},
		{"Int128", big.NewInt(5), cube.Number, 5.0},
		{"Bool", true, cube.Boolean, true},
		{"LowCardinality(Nullable(String))", &text, cube.Text, "x"},
		{"LowCardinality(Nullable(String))", none, cube.Text, nil},
		{"String", "\x00\xff", cube.Text, `\x00ff`},
		{"Date", at, cube.Date, time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)},
		{"DateTime64(3, 'Europe/Berlin')", at, cube.Timestamp, at.UTC()},
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
