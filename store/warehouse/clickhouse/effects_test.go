package clickhouse_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/clickhouse"
	"service/store/warehouse/warehousetest"
)

// TestEffects runs SQL that the gate refuses on the server without the gate, and shows that it has an effect all the same. The user's
// profile is the weakest possible: it has readonly=2, which the connector cannot make stricter.
func TestEffects(t *testing.T) {
	if open(t); far.server == nil {
		t.Skip("TEST_CLICKHOUSE_DSN leads to a server without our files")
	}
	c := openAs(t, func(to *warehouse.Target) { to.User = "wide" })
	shown := map[string]bool{}
	ask := func(ctx context.Context, sql string, limit time.Duration) error {
		err := c.Ungated(ctx, sql, warehouse.Limits{Rows: 10, Bytes: 1 << 20, Time: limit})
		if refusal := clickhouse.Gate(sql); refusal == nil {
			t.Errorf("%s\nit passes the gate", sql)
		}
		return err // some continue on the server for minutes, which running does not count
	}
	const s3 = "('http://ADDRESS/bucket/a.csv', NOSIGN, 'CSV')"
	for _, try := range []struct{ entry, call string }{
		{"url", "url('http://ADDRESS/')"},
		{"urlcluster", "urlCluster('twice', 'http://ADDRESS/')"},
		{"s3*", "s3" + s3},
		{"s3*", "s3Cluster('twice', 'http://ADDRESS/bucket/a.csv', NOSIGN, 'CSV')"},
		{"gcs*", "gcs" + s3},
		{"oss*", "oss" + s3},
		{"cosn*", "cosn" + s3},
		{"hdfs*", "hdfs('hdfs://ADDRESS/a.csv', CSV)"},
		{"hdfs*", "hdfsCluster('twice', 'hdfs://ADDRESS/a.csv', CSV)"},
		{"azure*", "azureBlobStorage('http://ADDRESS/', 'c', 'a.csv', 'k', 'a2V5')"},
		{"iceberg*", "iceberg('http://ADDRESS/bucket/a/', NOSIGN)"},
		{"iceberg*", "icebergS3('http://ADDRESS/bucket/a/', NOSIGN)"},
		{"iceberg*", "icebergAzure('http://ADDRESS/', 'c', 'a', 'k', 'a2V5')"},
		{"iceberg*", "icebergHDFS('hdfs://ADDRESS/a')"},
		{"deltalake*", "deltaLake('http://ADDRESS/bucket/a/', NOSIGN)"},
		{"hudi*", "hudi('http://ADDRESS/bucket/a/', NOSIGN)"},
		{"paimon*", "paimonS3('http://ADDRESS/bucket/a/', NOSIGN)"},
		{"remote", "remote('ADDRESS', system.one)"},
		{"remotesecure", "remoteSecure('ADDRESS', system.one)"},
		{"mysql", "mysql('ADDRESS', 'd', 't', 'u', 'p')"},
		{"postgresql", "postgresql('ADDRESS', 'd', 't', 'u', 'p')"},
		{"mongodb*", "mongodb('ADDRESS', 'd', 't', 'u', 'p', 'a String')"},
		{"redis", "redis('ADDRESS', 'k', 'k String, v String')"},
	} {
		address, connections := trap(t)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		go func() { // it is shown with the first connection
			for ctx.Err() == nil && connections() == 0 {
				time.Sleep(5 * time.Millisecond)
			}
			cancel()
		}()
		err := ask(ctx, "SELECT * FROM "+strings.ReplaceAll(try.call, "ADDRESS", address), 30*time.Second)
		cancel()
		shown[try.entry] = true
		if connections() == 0 {
			t.Errorf("%s reaches nobody: %v", try.call, err)
		}
	}
	for entry, sql := range map[string]string{
		"file": "SELECT file('secret.csv')", "filecluster": "SELECT * FROM fileCluster('twice', 'secret.csv', LineAsString)",
		"filesystem":         "SELECT * FROM filesystem('.')",
		"cluster":            "SELECT * FROM cluster('twice', conformance.orders)",
		"clusterallreplicas": "SELECT * FROM clusterAllReplicas('twice', system.one)",
		"loop":               "SELECT * FROM loop(numbers(1)) LIMIT 5", "logtrace": "SELECT logTrace('x')",
	} {
		err := ask(t.Context(), sql, time.Minute)
		if shown[entry] = err == nil; err != nil {
			t.Errorf("%s\n%v", sql, err)
		}
	}
	for entry, sql := range map[string]string{"sleep": "SELECT sleep(1)", "sleepeachrow": "SELECT sleepEachRow(0.5) FROM numbers(2)"} {
		began := time.Now()
		err := ask(t.Context(), sql, time.Minute)
		if shown[entry] = err == nil && time.Since(began) >= time.Second; !shown[entry] {
			t.Errorf("%s\nit holds no thread: %v", sql, err)
		}
	}
	// The server of the tests lacks what these need. See ClickHouse's reference:
	documented := map[string]string{
		"sqlite":       "table functions, sqlite: opens a file",
		"ytsaurus*":    "table functions, ytsaurus: reads another cluster, once allowed",
		"arrowflight*": "table functions, arrowFlight: reads another server",
		"jdbc":         "table functions, jdbc: by a bridge", "odbc": "table functions, odbc: by a bridge",
		"executable":       "table functions, executable: runs a program",
		"hive":             "table functions of 23.8, hive: reads another cluster",
		"meilisearch":      "table functions of 23.8, meilisearch: reads another server",
		"hascolumnintable": "other functions, hasColumnInTable: asks another server",
		"reversednsquery":  "other functions, reverseDNSQuery: asks a name server",
		"catboostevaluate": "other functions, catboostEvaluate: loads a file",
		"generateserialid": "other functions, generateSerialID: counts in Keeper", "ai*": "AI functions: sends its arguments to a provider",
	}
	for _, entry := range clickhouse.Effects() {
		if shown[entry] == (documented[entry] != "") {
			t.Errorf("%s is neither shown nor documented, or both", entry)
		}
	}
}

// TestReadsRun: functions that only read may be called, with any author and any name.
func TestReadsRun(t *testing.T) {
	c := open(t)
	for _, sql := range []string{
		"CREATE VIEW IF NOT EXISTS conformance2.since AS SELECT id, day FROM conformance.orders WHERE id > {least:UInt32}",
		"CREATE TABLE IF NOT EXISTS conformance2.odd (settings String, format String, file String, profile Tuple(settings UInt8)) ENGINE = " +
			"MergeTree ORDER BY settings",
		"INSERT INTO conformance2.odd VALUES ('a', 'b', 'c', tuple(1))",
	} {
		if err := far.admin.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, table := range []string{"since", "odd"} {
			if err := far.admin.Exec(context.Background(), "DROP TABLE conformance2."+table); err != nil {
				t.Error(err)
			}
		}
	})
	for sql, want := range map[string]string{
		"SELECT count() FROM conformance2.since(least = 19990)":                                                                "[[10]]",
		"SELECT count() FROM `conformance2`.`since`(least = 19990) AS s JOIN orders AS o ON s.id = o.id":                       "[[10]]",
		"SELECT settings, format, file FROM conformance2.odd":                                                                  "[[a b c]]",
		"SELECT settings AS s, upper(settings), profile.settings FROM conformance2.odd WHERE settings = 'a'":                   "[[a A 1]]",
		"SELECT count(file) AS n, format FROM conformance2.odd GROUP BY settings, format ORDER BY settings, format DESC":       "[[1 b]]",
		"SELECT settings.file FROM conformance2.odd AS settings WHERE settings.settings IN ('a')":                              "[[c]]",
		"SELECT if(o.file = 'c', 1, 0), concat(settings, format), length(format) FROM conformance2.odd AS o ORDER BY settings": "[[1 ab 1]]",
		"SELECT count() > 0 FROM mergeTreeIndex(conformance, orders)":                                                          "[[1]]",
	} {
		var table warehousetest.Table
		if _, err := c.Query(t.Context(), sql, nil, warehousetest.Wide, &table); err != nil || fmt.Sprint(table.Rows) != want {
			t.Errorf("%s\n%v, %v", sql, table.Rows, err)
		}
	}
}
