package refresh_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/store"
	"service/store/warehouse"
	"service/store/warehouse/mysql"
	"service/store/warehouse/postgres"
	"service/store/warehouse/warehousetest"
)

// BenchmarkRefresh refreshes a dashboard of 20 datasets over a table of 1,000,000 rows, from the trigger to the stored rows. On a
// warehouse, its 20 statements are also measured alone, on open connections: one after the other, and two at once, as in a refresh.
func BenchmarkRefresh(b *testing.B) {
	b.Run("postgres", func(b *testing.B) {
		server, err := warehousetest.StartPostgres()
		if server != nil {
			b.Cleanup(server.Stop)
		}
		if err != nil {
			b.Fatal(err)
		}
		pool, err := pgxpool.New(b.Context(), server.DSN)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(pool.Close)
		if _, err := pool.Exec(b.Context(), `
			CREATE TABLE sales (id int PRIMARY KEY, day date NOT NULL, channel text NOT NULL, region text NOT NULL,
				device int NOT NULL, amount numeric(12, 2) NOT NULL, units int NOT NULL);
			INSERT INTO sales SELECT i, date '2025-01-01' + i % 365, 'channel ' || i % 7, 'region ' || i % 50, i % 3, (i % 10007) / 100.0, i % 9
				FROM generate_series(1, 1000000) AS i;
			ANALYZE sales`); err != nil {
			b.Fatal(err)
		}
		compare(b, "postgres",
			warehouse.Target{Host: "127.0.0.1", Port: server.Port, Database: "postgres", User: "postgres", TLS: warehouse.TLSOff},
			func(ctx context.Context, sql string) error {
				rows, err := pool.Query(ctx, sql)
				if err != nil {
					return err
				}
				defer rows.Close()
				for rows.Next() {
					if _, err := rows.Values(); err != nil {
						return err
					}
				}
				return rows.Err()
			})
	})
	b.Run("mariadb", func(b *testing.B) {
		server, err := warehousetest.StartMariaDB()
		if server != nil {
			b.Cleanup(server.Stop)
		}
		if missing, ok := errors.AsType[*exec.Error](err); ok && os.Getenv("CI") != "true" {
			b.Skip("there is no MariaDB here: ", missing)
		} else if err != nil {
			b.Fatal(err)
		}
		db, err := sql.Open("mysql", server.DSN)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { db.Close() })
		for db.PingContext(b.Context()) != nil && b.Context().Err() == nil {
		}
		for _, q := range []string{
			`CREATE DATABASE far`,
			`CREATE TABLE far.sales (id int PRIMARY KEY, day date NOT NULL, channel varchar(20) NOT NULL, region varchar(20) NOT NULL,
				device int NOT NULL, amount decimal(12, 2) NOT NULL, units int NOT NULL)`,
			`INSERT INTO far.sales SELECT seq, DATE '2025-01-01' + INTERVAL seq % 365 DAY, CONCAT('channel ', seq % 7), CONCAT('region ', seq % 50),
				seq % 3, (seq % 10007) / 100, seq % 9 FROM far.seq_1_to_1000000`,
			`CREATE USER reader IDENTIFIED BY 'x'`, `GRANT SELECT ON far.* TO reader`,
		} {
			if _, err := db.ExecContext(b.Context(), q); err != nil {
				b.Fatal(err)
			}
		}
		db.Close()
		if db, err = sql.Open("mysql", fmt.Sprintf("reader:x@tcp(127.0.0.1:%d)/far", server.Port)); err != nil {
			b.Fatal(err)
		}
		compare(b, "mysql",
			warehouse.Target{Host: "127.0.0.1", Port: server.Port, Database: "far", User: "reader", Password: "x", TLS: warehouse.TLSOff},
			func(ctx context.Context, sql string) error {
				rows, err := db.QueryContext(ctx, sql)
				if err != nil {
					return err
				}
				defer rows.Close()
				var name, value any
				for rows.Next() {
					if err := rows.Scan(&name, &value); err != nil {
						return err
					}
				}
				return rows.Err()
			})
	})
}

// BenchmarkRefreshOfUpload does it over a file of 1,000,000 rows. The engine alone is
// measured in package worker, which may open it.
func BenchmarkRefreshOfUpload(b *testing.B) {
	w := setup(b, func(o *store.Options) { o.RefreshBudget = 1_000_000 })
	file := []byte("k,v\n")
	for i := range 1_000_000 {
		file = append(file, byte('0'+i%7), ',', byte('0'+i*7919%10007%10), '\n')
	}
	up, err := w.Uploads.AddUpload(b.Context(), w.member, "sales.csv", file)
	if err != nil {
		b.Fatal(err)
	}
	var all []string
	for _, by := range []string{"k", "k % 2", "v", "v % 3", "k + v"} {
		for _, value := range []string{"sum(v)", "count(*)", "avg(v)", "max(k)"} {
			all = append(all, fmt.Sprintf("SELECT %s AS g, %s AS v FROM upload GROUP BY 1 ORDER BY 1", by, value))
		}
	}
	w.start(b)
	refreshes(b, w, up.Connection.ID, up.Upload.ID, all)
}

// statements are 20 questions of an ordinary dashboard, each of which reads every row.
func statements() (all []string) {
	for _, by := range []string{"day", "channel", "region", "device", "units"} {
		for _, value := range []string{"SUM(amount)", "COUNT(*)", "MIN(amount)", "MAX(amount)"} {
			all = append(all, fmt.Sprintf("SELECT %s AS k, %s AS v FROM sales GROUP BY %s ORDER BY %s", by, value, by, by))
		}
	}
	return all
}

func compare(b *testing.B, kind string, to warehouse.Target, ask func(context.Context, string) error) {
	all := statements()
	b.Run("refresh", func(b *testing.B) {
		dialer := warehouse.Dialer{AllowPrivate: true}
		w := setup(b, func(o *store.Options) {
			o.DefaultPlan, o.RefreshBudget = "paid", 1_000_000
			o.Warehouses = map[string]store.Open{
				"postgres": func(t warehouse.Target) (warehouse.Connector, error) { return postgres.Open(t, dialer) },
				"mysql":    func(t warehouse.Target) (warehouse.Connector, error) { return mysql.Open(t, dialer) },
			}
		})
		c, err := w.Connections.AddWarehouse(b.Context(), w.member, kind, "Far", to)
		if err != nil {
			b.Fatal(err)
		}
		if c, err = w.Connections.TestConnection(b.Context(), w.member, c.ID); err != nil || c.Status != store.StatusActive {
			b.Fatal(c.StatusReason, err)
		}
		w.start(b)
		refreshes(b, w, c.ID, uuid.Nil, all)
	})
	b.Run("alone, one by one", func(b *testing.B) {
		for b.Loop() {
			for _, sql := range all {
				if err := ask(b.Context(), sql); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("alone, two at once", func(b *testing.B) {
		for b.Loop() {
			places := make(chan struct{}, 2)
			var wg sync.WaitGroup
			for _, sql := range all {
				places <- struct{}{}
				wg.Go(func() {
					defer func() { <-places }()
					if err := ask(b.Context(), sql); err != nil {
						b.Error(err)
					}
				})
			}
			wg.Wait()
		}
	})
}

// refreshes publishes a dashboard of the statements, and measures its refreshes
// from the trigger until the rows are stored.
func refreshes(b *testing.B, w *bench, connection, upload uuid.UUID, all []string) {
	type object = map[string]any
	var datasets, panels []object
	for i, sql := range all {
		id := fmt.Sprint("d", i)
		datasets = append(datasets, object{"id": id, "sql": sql})
		panels = append(panels, object{"type": "kpi", "data": id, "value": "v"})
	}
	text, err := json.Marshal(object{"version": 1, "title": "Sales", "datasets": datasets, "panels": panels})
	if err != nil {
		b.Fatal(err)
	}
	w.publish(b, w.member, "sales", string(text), connection, upload)
	succeed := func() {
		if state := <-w.done; state != store.RunSucceeded {
			b.Fatalf("%s: %+v", state, w.status(b, w.member, "sales").Run)
		}
	}
	succeed()
	for b.Loop() {
		if _, err := w.Refreshes.TriggerRefresh(b.Context(), w.member, "sales"); err != nil {
			b.Fatal(err)
		}
		succeed()
	}
}
