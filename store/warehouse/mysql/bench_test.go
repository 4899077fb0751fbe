package mysql_test

import (
	"database/sql"
	"net"
	"net/netip"
	"strconv"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"service/store/warehouse"
	"service/store/warehouse/warehousetest"
)

// alone queries with the driver and reads every value.
func alone(b *testing.B, db *sql.DB, query string) (n int) {
	rows, err := db.QueryContext(b.Context(), query)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		b.Fatal(err)
	}
	row := make([]any, len(cols))
	for i := range row {
		row[i] = new(any)
	}
	for ; rows.Next(); n++ {
		if err := rows.Scan(row...); err != nil {
			b.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	return n
}

// reach opens the warehouse by the driver, as the suite's user.
func reach(b *testing.B, address string) *sql.DB {
	config := driver.NewConfig()
	config.Net, config.Addr, config.User, config.Passwd, config.DBName = "tcp", address, far.target.User, far.target.Password, database
	connector, err := driver.NewConnector(config)
	if err != nil {
		b.Fatal(err)
	}
	db := sql.OpenDB(connector)
	b.Cleanup(func() { db.Close() })
	return db
}

func address() string { return net.JoinHostPort(far.target.Host, strconv.Itoa(far.target.Port)) }

// BenchmarkQuestion compares queries over a million rows with the same queries by the driver alone, on a connection that is already open.
func BenchmarkQuestion(b *testing.B) {
	c := open(b)
	if _, err := far.admin.ExecContext(b.Context(),
		"CREATE TABLE IF NOT EXISTS "+database+".million AS SELECT a.id + 20000 * (b.id - 1) AS i "+
			"FROM "+database+".orders a JOIN "+database+".orders b WHERE b.id <= 50"); err != nil {
		b.Fatal(err)
	}
	db := reach(b, address())
	for _, q := range []struct {
		name, sql string
		rows      int
	}{
		{
			"aggregate",
			"SELECT DATE '2026-01-01' + INTERVAL (i % 365) DAY AS day, i % 7 AS channel, SUM(i) / 100 AS revenue, COUNT(*) AS orders FROM " +
				"million GROUP BY 1, 2",
			2555,
		},
		{"100,000 rows", "SELECT i, i / 7 AS part, CONCAT('note ', i) AS note FROM million WHERE i <= 100000", 100_000},
	} {
		b.Run(q.name+"/connector", func(b *testing.B) {
			for b.Loop() {
				var got warehousetest.Table
				if _, err := c.Query(b.Context(), q.sql, nil, warehouse.Limits{Rows: 200_000, Bytes: 64 << 20, Time: time.Minute}, &got); err != nil ||
					len(got.Rows) != q.rows {
					b.Fatal(len(got.Rows), err)
				}
			}
		})
		b.Run(q.name+"/driver", func(b *testing.B) {
			for b.Loop() {
				if n := alone(b, db, q.sql); n != q.rows {
					b.Fatal(n)
				}
			}
		})
	}
}

// BenchmarkFar reads ten rows of a warehouse that is 10 ms away, such as one in another data centre: what counts are the round trips.
func BenchmarkFar(b *testing.B) {
	open(b)
	p := warehousetest.NewProxy(b, address())
	p.Delay(10 * time.Millisecond)
	const query = "SELECT id, note FROM orders WHERE id <= 10"
	b.Run("connector", func(b *testing.B) {
		c := openAs(b, func(to *warehouse.Target) {
			at := netip.MustParseAddrPort(p.Address)
			to.Host, to.Port = at.Addr().String(), int(at.Port())
		})
		for b.Loop() {
			var got warehousetest.Table
			if _, err := c.Query(b.Context(), query, nil, warehousetest.Wide, &got); err != nil || len(got.Rows) != 10 {
				b.Fatal(len(got.Rows), err)
			}
		}
	})
	b.Run("driver, connecting", func(b *testing.B) {
		for b.Loop() {
			db := reach(b, p.Address)
			if n := alone(b, db, query); n != 10 {
				b.Fatal(n)
			}
			db.Close()
		}
	})
}

// BenchmarkGivingUp is how long a query that runs away outlives its limit.
func BenchmarkGivingUp(b *testing.B) {
	warehousetest.BenchmarkGivingUp(b, open(b), running,
		"SELECT n FROM sleeps", "SELECT COUNT(*) AS n FROM orders a, orders b, orders c WHERE a.amount + b.amount < c.amount - 1e9",
		"SELECT n FROM persists")
}
