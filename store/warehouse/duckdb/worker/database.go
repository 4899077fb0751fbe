package worker

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/duckdb/wire"
)

// A database is an engine in memory with one connection.
type database struct {
	ctx       context.Context
	connector *duckdb.Connector
	conn      *duckdb.Conn
	tables    []warehouse.Table // as loaded, in order
	linked    []*linked
	parts     int // files of linked tables
}

// openDatabase opens an engine that can open only these files.
func openDatabase(ctx context.Context, memoryMB, threads int, zone string, files ...string) (*database, error) {
	// These two settings keep the engine from reading them from files that a sealed process cannot open.
	connector, err := duckdb.NewConnector(fmt.Sprintf("?memory_limit=%dMB&threads=%d", max(memoryMB, 64), max(threads, 1)), nil)
	if err != nil {
		return nil, err
	}
	conn, err := connector.Connect(ctx)
	if err != nil {
		return nil, errors.Join(err, connector.Close())
	}
	db := &database{ctx: ctx, connector: connector, conn: conn.(*duckdb.Conn)}
	for i, f := range files {
		files[i] = literal(f)
	}
	for _, setting := range []string{
		"temp_directory = ''", // a query that does not fit in memory fails instead of writing to disk
		"TimeZone = " + literal(cmp.Or(zone, "UTC")),
		"errors_as_json = true", // positions and candidates without parsing prose
		"autoinstall_known_extensions = false",
		"autoload_known_extensions = false",
		"allow_community_extensions = false",
		"allow_persistent_secrets = false",
		"allowed_paths = [" + strings.Join(files, ", ") + "]",
		"enable_external_access = false",
		"enable_external_file_cache = false", // linked files get more parts between two queries
	} {
		if err := db.exec("SET " + setting); err != nil {
			db.close()
			return nil, err
		}
	}
	return db, nil
}

func (db *database) close() {
	db.conn.Close()
	db.connector.Close()
}

// lock permanently forbids the engine to use the network, files other than those of linked tables, and to change its settings.
func (db *database) lock() error {
	settings := []string{"disabled_filesystems = 'LocalFileSystem'", "lock_configuration = true"}
	if len(db.linked) > 0 {
		settings = settings[1:]
	}
	for _, setting := range settings {
		if err := db.exec("SET " + setting); err != nil {
			return err
		}
	}
	return nil
}

func (db *database) exec(sql string) error {
	_, err := db.conn.ExecContext(db.ctx, sql, nil)
	return err
}

// all runs one of our own statements and returns its rows.
func (db *database) all(sql string, args ...any) ([][]driver.Value, error) {
	rows, err := db.conn.QueryContext(db.ctx, sql, named(args))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out [][]driver.Value
	for {
		row := make([]driver.Value, len(rows.Columns()))
		switch err := rows.Next(row); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, err
		}
		out = append(out, row)
	}
}

func named(args []any) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, a := range args {
		// The driver matches by name first, so that $2 gets the second value even if it comes
		// before $1 in the text.
		out[i] = driver.NamedValue{Name: fmt.Sprint(i + 1), Ordinal: i + 1, Value: a}
	}
	return out
}

// load creates a table from a file.
func (db *database) load(t wire.Table) error {
	var source string
	switch t.Format {
	case "rows":
		if err := db.loadRows(t); err != nil {
			return err
		}
		return db.learn(t.Name)
	case "linked":
		return db.loadLinked(t)
	case "parquet":
		source = "read_parquet(" + literal(t.Path) + ")"
	case "csv":
		fields := make([]string, len(t.Columns))
		for i, c := range t.Columns {
			fields[i] = literal(c.Name) + ": " + literal(sqlType(c.Type))
		}
		source = fmt.Sprintf("read_csv(%s, auto_detect = false, header = %t, delim = ',', quote = '\"', escape = '\"', "+
			"nullstr = '', dateformat = '%%Y-%%m-%%d', columns = {%s})", literal(t.Path), t.Header, strings.Join(fields, ", "))
	default:
		return warehouse.Errorf(warehouse.Failed, "a table cannot be made of this kind of file")
	}
	if err := db.exec("CREATE TABLE " + identifier(t.Name) + " AS SELECT * FROM " + source); err != nil {
		return translateError(err, "", 0)
	}
	return db.learn(t.Name)
}

// learn registers a table with the gate and introspection.
func (db *database) learn(name string) error {
	// The engine has views of its own, and some have the same names as files.
	rows, err := db.all(`
		SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = $1 AND NOT internal ORDER BY column_index`, name)
	if err != nil {
		return translateError(err, "", 0)
	}
	table := warehouse.Table{Name: name, Kind: "table"}
	for _, row := range rows {
		name, kind := row[0].(string), row[1].(string)
		table.Columns = append(table.Columns, warehouse.TableColumn{
			Column:   cube.Column{Name: name, Type: typeOf(kind).cube},
			Nullable: true,
		})
	}
	db.tables = append(db.tables, table)
	return nil
}

func (db *database) introspect(q warehouse.Introspection) []warehouse.Table {
	out := []warehouse.Table{}
	for _, t := range db.tables {
		if (q.Table == "" || strings.EqualFold(t.Name, q.Table)) &&
			strings.Contains(strings.ToLower(t.Name), strings.ToLower(q.Pattern)) && len(out) < warehouse.MaxTables {
			out = append(out, t)
		}
	}
	return out
}

func literal(s string) string    { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
func identifier(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
