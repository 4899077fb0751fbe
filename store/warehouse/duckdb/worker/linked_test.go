package worker

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"service/store/warehouse/duckdb/datafile"
	"service/store/warehouse/duckdb/wire"
)

// parquetFile makes a Parquet file of a query, with row groups of 20480 rows, and returns its path.
func parquetFile(t testing.TB, sql string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.parquet")
	db, err := openDatabase(t.Context(), 256, 2, "", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	if err := db.exec("COPY (" + sql + ") TO " + literal(path) + " (FORMAT parquet, ROW_GROUP_SIZE 20480, USE_TMP_FILE false)"); err != nil {
		t.Fatal(err)
	}
	return path
}

// hollow makes a file of the same size, of which only the end is present.
func hollow(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const tail = 16 << 10
	copy(data[4:len(data)-tail], make([]byte, len(data)))
	other := filepath.Join(t.TempDir(), "hollow.parquet")
	if err := os.WriteFile(other, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return other
}

func openLinked(t testing.TB, tables map[string][]string) *database {
	t.Helper()
	var paths []string
	for _, parts := range tables {
		paths = append(paths, parts...)
	}
	db, err := openDatabase(t.Context(), 256, 2, "", slices.Clone(paths)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.close)
	for name, parts := range tables {
		if err := db.load(wire.Table{Name: name, Format: "linked", Parts: parts}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.lock(); err != nil {
		t.Fatal(err)
	}
	return db
}

const wideRows = `SELECT range AS id, DATE '2026-01-01' + (range // 10000)::INT AS day, range / 7.0 AS amount, 'n' || range AS note,
	{'a': range, 'b': 'x'} AS item, [range, 1] AS list, TIMESTAMP '2026-01-01' + to_minutes(range) AS at,
	hash(range) AS "Hash, of" FROM range(100000)`

// TestLinkedPlans: once the parts of a plan are added to a file of which only the end is present, the query has the same result as over
// the whole file. Other parts stay absent, and the plan reads no more than is stated.
func TestLinkedPlans(t *testing.T) {
	t.Parallel()
	whole := parquetFile(t, wideRows)
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for sql, most := range map[string]int{ // percent of the file
		"SELECT sum(amount) AS a FROM orders WHERE day >= '2026-01-05'":                                                    25,
		"SELECT count(*) AS n FROM orders":                                                                                 0,
		"SELECT * FROM orders ORDER BY amount LIMIT 3":                                                                     100,
		"SELECT count(*) AS n FROM orders WHERE day >= DATE '2026-01-05' AND id < 50000 AND amount > 1.5":                  20,
		"SELECT a.id, b.note FROM orders a JOIN orders b ON a.id = b.id + 1 WHERE a.at < TIMESTAMP '2026-01-10'":           50,
		"SELECT max(id) AS m, min(day) AS d FROM orders":                                                                   0,
		"SELECT orders AS o FROM orders WHERE id = 4711":                                                                   40,
		"SELECT id FROM orders WHERE id IN (1, 90000) OR day = '2026-01-02'":                                               40,
		"SELECT item.b AS b, list[1] AS one, count(*) AS n FROM orders GROUP BY ALL ORDER BY ALL":                          100,
		"SELECT note FROM orders WHERE note = 'n5 AND id>9' OR \"Hash, of\" = 1 ORDER BY 1":                                100,
		"SELECT count(*) AS n FROM orders WHERE note = 'n77 AND id>9999 AND x'":                                            60,
		"WITH x AS (SELECT * FROM orders) SELECT sum(id) AS s FROM x WHERE id BETWEEN 100 AND 200":                         10,
		"SELECT (SELECT max(amount) FROM orders b WHERE b.day = a.day) AS m FROM orders a WHERE id % 30000 = 1 ORDER BY 1": 100,
	} {
		t.Run(sql, func(t *testing.T) {
			t.Parallel()
			want := resultOf(t, openLinked(t, map[string][]string{"orders": {whole}}), sql, false)
			path := hollow(t, whole)
			file, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			db := openLinked(t, map[string][]string{"orders": {path}})
			got, err := []byte(nil), error(nil)
			for _, all := range []bool{false, true} { // a condition in a string prunes too much, and all row groups are read
				q, perr := db.prepare(sql, nil)
				if perr != nil {
					t.Fatal(perr)
				}
				plan, perr := q.plan(100, all)
				if perr != nil {
					t.Fatal(perr)
				}
				read := 0
				for _, r := range plan.Ranges {
					read += int(r.To - r.From)
					if _, err := file.WriteAt(data[r.From:r.To], r.From); err != nil {
						t.Fatal(err)
					}
				}
				if 100*read > most*len(data) {
					t.Errorf("the plan reads %d of %d bytes", read, len(data))
				}
				var out bytes.Buffer
				if err = q.checkPages(100, all); err == nil {
					_, err = q.run(100, 1<<20, &out)
				}
				if got = out.Bytes(); err == nil || !plan.Pruned {
					break
				}
			}
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%q, want %q: %v", got, want, err)
			}
		})
	}
}

// resultOf returns the encoded answer of a query over files that are complete.
func resultOf(t *testing.T, db *database, sql string, whole bool) []byte {
	t.Helper()
	q, err := db.prepare(sql, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.checkPages(100, whole); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := q.run(100, 1<<20, &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestLinkedHoles: a part that is absent is an error and never a value.
func TestLinkedHoles(t *testing.T) {
	t.Parallel()
	db := openLinked(t, map[string][]string{"orders": {hollow(t, parquetFile(t, wideRows))}})
	for _, sql := range []string{
		"SELECT sum(id) AS s FROM orders", "SELECT note FROM orders WHERE id = 50000", "SELECT item FROM orders", "SELECT list FROM orders",
	} {
		q, err := db.prepare(sql, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := q.checkPages(10, false); err == nil {
			t.Errorf("%s: its pages are accepted", sql)
		}
		if _, err := q.run(10, 1<<20, io.Discard); err == nil {
			t.Errorf("%s: it has rows", sql)
		}
	}
}

// TestLinkedParts: several files are one table, whose columns are found by name; a column that a file lacks is NULL there.
func TestLinkedParts(t *testing.T) {
	t.Parallel()
	one, two := parquetFile(t, "SELECT 1 AS id, 'a' AS note"), parquetFile(t, "SELECT 'b' AS note, 2.5 AS amount, 2 AS id")
	db := openLinked(t, map[string][]string{"orders": {one, two}, "other": {one}})
	both := parquetFile(t, "SELECT * FROM (VALUES (1, 'a', NULL::DECIMAL(2,1)), (2, 'b', 2.5)) AS x(id, note, amount)")
	want := resultOf(t, openLinked(t, map[string][]string{"x": {both}}), "SELECT id, note, amount FROM x ORDER BY 1", false)
	if got := resultOf(t, db, "SELECT id, note, amount FROM orders ORDER BY 1", false); !bytes.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	q, err := db.prepare("SELECT amount FROM orders", nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := q.plan(10, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range plan.Ranges {
		if r.File != db.linked[slices.IndexFunc(db.linked, func(l *linked) bool { return l.name == "orders" })].parts[1].number {
			t.Errorf("it reads %+v", r)
		}
	}
	if len(plan.Ranges) != 1 {
		t.Errorf("%d parts", len(plan.Ranges))
	}
}

// TestLinkedLock: with linked files, the engine can read these and nothing else.
func TestLinkedLock(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(secret, []byte("word\nxyzzy\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := openLinked(t, map[string][]string{"orders": {parquetFile(t, "SELECT 1 AS id")}})
	for _, sql := range []string{
		"SELECT * FROM read_csv('" + secret + "')", "COPY orders TO '" + secret + ".out'", "SET allowed_paths = ['" + secret + "']",
		"SET enable_external_access = true", "SELECT * FROM glob('" + filepath.Dir(secret) + "/*')", "ATTACH '" + secret + ".db' AS n",
	} {
		if _, err := db.all(sql); err == nil {
			t.Errorf("it runs: %s", sql)
		}
	}
	if _, err := db.prepare("SELECT * FROM read_parquet('x')", nil); err == nil {
		t.Error("the gate accepts a function that reads files")
	}
}

// TestLinkedDamaged: a file whose footer or pages are impossible is refused before the engine reads it.
func TestLinkedDamaged(t *testing.T) {
	t.Parallel()
	path := parquetFile(t, wideRows)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file := bytes.NewReader(data)
	footer, err := datafile.ReadFooter(file, file.Size())
	if err != nil {
		t.Fatal(err)
	}
	every := func(int) bool { return true }
	if err := footer.CheckPages(file, nil, every); err != nil {
		t.Error(err)
	}
	ranges := footer.Ranges([]string{"ID"}, func(group int) bool { return group == 1 })
	if len(ranges) != 1 {
		t.Fatal(ranges)
	}
	broken := slices.Clone(data)
	copy(broken[ranges[0].From:], "broken")
	if footer, err = datafile.ReadFooter(bytes.NewReader(broken), int64(len(broken))); err != nil {
		t.Fatal(err)
	}
	if err := footer.CheckPages(bytes.NewReader(broken), []string{"id"}, every); err == nil {
		t.Error("a page that is not one is accepted")
	}
	if err := footer.CheckPages(bytes.NewReader(broken), []string{"id"}, func(group int) bool { return group != 1 }); err != nil {
		t.Error(err)
	}
	for cut := 1; cut < 400; cut += 13 {
		short := data[:len(data)-cut]
		if _, err := datafile.ReadFooter(bytes.NewReader(short), int64(len(short))); err == nil {
			t.Errorf("a file without its last %d bytes is accepted", cut)
		}
	}
}
