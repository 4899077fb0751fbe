package mysql

import (
	"context"
	"strings"

	"service/store/dashboard/cube"
	"service/store/sqltext"
	"service/store/warehouse"
)

// Introspect lists the tables and views that the user may read. Those of the target's database are first, without the database's name.
func (c *Connector) Introspect(ctx context.Context, q warehouse.Introspection) ([]warehouse.Table, error) {
	ctx, cancel := context.WithTimeout(ctx, warehouse.AskTime)
	defer cancel()
	s, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer s.close(ctx)
	if err := s.done(ctx, s.begin(ctx, warehouse.AskTime, warehouse.MaxTables*warehouse.MaxColumns)); err != nil {
		return nil, err
	}
	s.ended = false
	table := strings.ReplaceAll(q.Table, "`", "")
	rows, err := s.conn.QueryContext(ctx, `
		SELECT t.TABLE_SCHEMA, t.own, t.TABLE_NAME, t.TABLE_TYPE, t.TABLE_COMMENT, c.COLUMN_NAME, c.DATA_TYPE, c.IS_NULLABLE, c.COLUMN_COMMENT
		  FROM (SELECT TABLE_SCHEMA, TABLE_SCHEMA = COALESCE(DATABASE(), '') AS own, TABLE_NAME, TABLE_TYPE, TABLE_COMMENT
		          FROM information_schema.TABLES
		         WHERE TABLE_SCHEMA NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')
		           AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')
		           AND (? = '' OR TABLE_NAME = ? COLLATE utf8mb4_bin OR CONCAT(TABLE_SCHEMA, '.', TABLE_NAME) = ? COLLATE utf8mb4_bin)
		           AND (? = '' OR LOCATE(LOWER(?), LOWER(CONCAT(TABLE_SCHEMA, '.', TABLE_NAME))) > 0)
		         ORDER BY own DESC, TABLE_SCHEMA, TABLE_NAME LIMIT ?) AS t
		  JOIN information_schema.COLUMNS AS c ON c.TABLE_SCHEMA = t.TABLE_SCHEMA AND c.TABLE_NAME = t.TABLE_NAME
		 ORDER BY t.own DESC, t.TABLE_SCHEMA, t.TABLE_NAME, c.ORDINAL_POSITION`,
		table, table, table, q.Pattern, q.Pattern, warehouse.MaxTables)
	if err != nil {
		return nil, s.done(ctx, translateError(ctx, err, ""))
	}
	defer rows.Close()
	defer s.abandon() // before the rows are closed, which would read them all
	var catalog warehouse.Catalog
	for s.allow(); rows.Next(); s.allow() {
		var schema, name, kind, comment, column, dataType, nullable, about string
		var own bool
		if err := rows.Scan(&schema, &own, &name, &kind, &comment, &column, &dataType, &nullable, &about); err != nil {
			return nil, translateError(ctx, err, "")
		}
		t := warehouse.Table{Name: sqltext.MySQL.Write(name), Kind: "table", Comment: comment}
		if !own {
			t.Name = sqltext.MySQL.Write(schema) + "." + t.Name
		}
		if kind == "VIEW" { // whose comment is always "VIEW"
			t.Kind, t.Comment = "view", ""
		}
		if !catalog.Add(t, warehouse.TableColumn{
			Column: cube.Column{Name: column, Type: typeNamed(dataType)}, Nullable: nullable == "YES", Comment: about,
		}) {
			return catalog.Tables(), nil
		}
	}
	return catalog.Tables(), s.done(ctx, translateError(ctx, rows.Err(), ""))
}
