package clickhouse

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"service/store/dashboard/cube"
	"service/store/sqltext"
	"service/store/warehouse"
)

// A Connector queries one server.
type Connector struct {
	target warehouse.Target
	dialer warehouse.Dialer
	zone   string // of the sessions; "" is UTC
}

// In returns a connector whose sessions are in a time zone.
func (c *Connector) In(zone *time.Location) warehouse.Connector {
	return &Connector{c.target, c.dialer, zone.String()}
}

// Open returns a connector to t, dialled by d. It does not connect yet.
func Open(t warehouse.Target, d warehouse.Dialer) (*Connector, error) {
	return &Connector{target: t, dialer: d}, nil
}

// Dialect names the SQL.
func (c *Connector) Dialect() string { return "clickhouse" }

// Placeholder returns the placeholder of argument n. Its type is filled in with its value.
func (c *Connector) Placeholder(n int) string { return fmt.Sprintf(placeholder, n) }

// Ping connects and checks that the server answers.
func (c *Connector) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, warehouse.AskTime)
	defer cancel()
	s, err := c.connect(ctx, warehouse.Limits{Rows: 1, Bytes: warehouse.MaxRow, Time: warehouse.AskTime})
	if err != nil {
		return err
	}
	s.close()
	return nil
}

// Describe returns the columns of a query without running it.
func (c *Connector) Describe(ctx context.Context, sql string, args []any) ([]cube.Column, error) {
	ctx, cancel := context.WithTimeout(ctx, warehouse.AskTime)
	defer cancel()
	sql, values, err := check(sql, args)
	if err != nil {
		return nil, err
	}
	s, err := c.connect(ctx, warehouse.Limits{Rows: 10_000, Bytes: 4 * warehouse.MaxRow, Time: warehouse.AskTime})
	if err != nil {
		return nil, err
	}
	defer s.close()
	cells, err := s.describe(ctx, sql, values)
	return columns(cells), err
}

// Query runs sql and hands its rows to sink.
func (c *Connector) Query(
	ctx context.Context, sql string, args []any, l warehouse.Limits, sink warehouse.Sink,
) (warehouse.Stats, error) {
	var stats warehouse.Stats
	sql, values, err := check(sql, args)
	if err != nil {
		return stats, err
	}
	ctx, cancel := context.WithTimeout(ctx, l.Time)
	defer cancel()
	s, err := c.connect(ctx, l)
	if err != nil {
		return stats, err
	}
	defer s.close()
	cells, err := s.describe(ctx, sql, values)
	if err != nil {
		return stats, err
	}
	// On a line of its own, so that a comment at the end of the SQL ends with it.
	rows, err := s.query(sql+"\n", values)
	if err != nil {
		return stats, s.translateError(ctx, err, sql, "")
	}
	defer rows.Close()
	defer s.stop() // before the rows are closed, which would read them all
	types := rows.ColumnTypes()
	if len(types) != len(cells) {
		return stats, warehouse.Errorf(warehouse.Failed, "The warehouse answered with other columns than it had announced. Try again.")
	}
	if err := sink.Columns(columns(cells)); err != nil {
		return stats, err
	}
	size := 0
	for rows.Next() {
		dest := make([]any, len(types))
		for i, t := range types {
			dest[i] = reflect.New(t.ScanType()).Interface()
		}
		if err := rows.Scan(dest...); err != nil {
			return stats, fmt.Errorf("clickhouse: read a row: %w", err)
		}
		row, length := make([]any, len(dest)), 0
		for i, d := range dest {
			v, n, err := cells[i].value(reflect.ValueOf(d).Elem().Interface())
			if err != nil {
				return stats, err
			}
			row[i], length = v, length+n+4
		}
		if length > warehouse.MaxRow {
			return stats, warehouse.Errorf(warehouse.TooLarge, warehouse.SayLongRow)
		}
		if size += length; stats.Rows == l.Rows || size > l.Bytes {
			stats.Truncated = true
			return stats, nil
		}
		if err := sink.Row(row); err != nil {
			return stats, err
		}
		stats.Rows++
	}
	if err := rows.Err(); err != nil {
		return stats, s.translateError(ctx, err, sql, "")
	}
	return stats, nil
}

// Introspect lists the tables and views that the user may read. Those of the target's database are first, without the database's name.
func (c *Connector) Introspect(ctx context.Context, q warehouse.Introspection) ([]warehouse.Table, error) {
	ctx, cancel := context.WithTimeout(ctx, warehouse.AskTime)
	defer cancel()
	s, err := c.connect(ctx, warehouse.Limits{Rows: 200_000, Bytes: 64 * warehouse.MaxRow, Time: warehouse.AskTime})
	if err != nil {
		return nil, err
	}
	defer s.close()
	rows, err := s.query(`
		SELECT t.database, t.database = currentDatabase() AS own, t.name, t.engine, t.comment, c.name, c.type, c.comment
		  FROM (SELECT database, name, engine, comment FROM system.tables
		         WHERE database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA') AND NOT is_temporary AND name NOT LIKE '.inner%'
		           AND ({table:String} = '' OR name = {table:String} OR concat(database, '.', name) = {table:String})
		           AND ({pattern:String} = '' OR positionCaseInsensitiveUTF8(concat(database, '.', name), {pattern:String}) > 0)
		         ORDER BY database = currentDatabase() DESC, database, name LIMIT {most:UInt16}) AS t
		  JOIN system.columns AS c ON c.database = t.database AND c.table = t.name
		 ORDER BY own DESC, t.database, t.name, c.position`,
		map[string]string{
			"table": strings.NewReplacer("`", "", `"`, "").Replace(q.Table), "pattern": q.Pattern,
			"most": strconv.Itoa(warehouse.MaxTables),
		})
	if err != nil {
		return nil, s.translateError(ctx, err, "", "")
	}
	defer rows.Close()
	defer s.stop()
	var catalog warehouse.Catalog
	for rows.Next() {
		var database, name, engine, comment, column, dataType, about string
		var own uint8
		if err := rows.Scan(&database, &own, &name, &engine, &comment, &column, &dataType, &about); err != nil {
			return nil, fmt.Errorf("clickhouse: read a table: %w", err)
		}
		t := warehouse.Table{Name: sqltext.ClickHouse.Write(name), Kind: "table", Comment: comment}
		if own == 0 {
			t.Name = sqltext.ClickHouse.Write(database) + "." + t.Name
		}
		if strings.HasSuffix(engine, "View") {
			t.Kind = "view"
		}
		if !catalog.Add(t, warehouse.TableColumn{
			Column:   cube.Column{Name: column, Type: cellOf(column, dataType).kind},
			Nullable: strings.Contains(dataType, "Nullable("), Comment: about,
		}) {
			return catalog.Tables(), nil
		}
	}
	if err := rows.Err(); err != nil {
		return nil, s.translateError(ctx, err, "", "")
	}
	return catalog.Tables(), nil
}
