package sqltext

import (
	"strings"

	"service/store/pattern"
)

// DialectOf returns the dialect of a name: "postgres", "redshift", "mysql", "clickhouse", "bigquery", "snowflake", "trino", "athena" or
// "databricks". For "duckdb", and any other name, it returns the standard.
func DialectOf(name string) Dialect {
	switch name {
	case "postgres", "redshift":
		return Postgres
	case "mysql":
		return MySQL
	case "clickhouse":
		return ClickHouse
	case "bigquery":
		return BigQuery
	case "snowflake":
		return Snowflake
	case "trino", "athena":
		return Trino
	case "databricks":
		return Databricks
	}
	return Dialect{}
}

// Write returns the name of a column or table in SQL of the dialect: bare if that means the name, and otherwise in quotes. A bare name has
// ASCII letters, digits and underscores, and is not a reserved word. If the server changes the case of bare names, like PostgreSQL, or
// ignores it, like DuckDB, a name with capital letters is in quotes.
func (d Dialect) Write(name string) string {
	for i, r := range name {
		capital := r >= 'A' && r <= 'Z' && d.backticks()
		if r != '_' && (r < 'a' || r > 'z') && !capital && (i == 0 || r < '0' || r > '9') {
			return d.Quote(name)
		}
	}
	if name == "" || d.Reserved(name) {
		return d.Quote(name)
	}
	return name
}

// Quote returns a name in the quotes of the dialect.
func (d Dialect) Quote(name string) string {
	switch {
	case d.EscapedNames:
		return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(name) + "`"
	case d.Upper && small.MatchString(name):
		name = strings.ToUpper(name)
	case d.backticks():
		return "`" + strings.ReplaceAll(name, "`", "``") + "`"
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// small matches a lower-case name that can be bare unless it is reserved.
var small = pattern.New(`^[a-z_][a-z0-9_]*$`)

// backticks reports whether names are quoted by backticks, in servers that keep the case of bare names.
func (d Dialect) backticks() bool { return d.DoubleString || d.EscapedNames }

// Reserved reports whether a word, in any case, must be quoted in the dialect to be the name of a column or table. PostgreSQL and the
// standard share a list: a word that PostgreSQL or DuckDB reserves is reserved in both.
func (d Dialect) Reserved(word string) bool {
	switch d {
	case MySQL:
		return reservedByMySQL[Lower(word)]
	case ClickHouse:
		return reservedByClickHouse[Lower(word)]
	case BigQuery:
		return reservedByBigQuery[Lower(word)]
	case Trino:
		return reservedByTrino[Lower(word)]
	case Databricks:
		return reservedByDatabricks[Lower(word)]
	}
	return reserved[Lower(word)]
}

var (
	reserved = set(`
		all analyse analyze and anti any array as asc asof asymmetric at authorization between binary both by case cast check
		collate collation column concurrently constraint create cross current_catalog current_date current_role current_schema
		current_time current_timestamp current_user default deferrable desc describe distinct do else end except false fetch for
		foreign freeze from full generated glob grant group grouping having ilike in initially inner intersect into is isnull
		join lambda lateral leading left like limit localtime localtimestamp map natural not notnull null offset on only or
		order outer overlaps pivot pivot_longer pivot_wider placing positional primary qualify references returning right sample
		select semi session_user set show similar some struct summarize symmetric table tablesample then to trailing true
		try_cast union unique unpack unpivot user using values variadic verbose when where window with`)
	// reservedByClickHouse has more words than necessary, because the server accepts most words where only a name is possible.
	reservedByClickHouse = set(`
		all and anti any array as asc asof between by case cast cross desc distinct else end except false final for format from full
		global group having ilike in inner intersect interval into is join left like limit not null offset on or order outer prewhere
		qualify right sample select semi set settings then top true union using values when where window with`)
	reservedByBigQuery = set(`
		all and any array as asc assert_rows_modified at between by case cast collate contains create cross cube current default
		define desc distinct else end enum escape except exclude exists extract false fetch following for from full graph_table
		group grouping groups hash having if ignore in inner intersect interval into is join lateral left like limit lookup merge
		natural new no not null nulls of on or order outer over partition preceding proto qualify range recursive respect right
		rollup rows select set some struct tablesample then to treat true unbounded union unnest using when where window with
		within`)
	reservedByTrino = set(`
		alter and as auto between by case cast constraint create cross cube current_catalog current_date current_path current_role
		current_schema current_time current_timestamp current_user deallocate delete describe distinct drop else end escape except
		exists extract false for from full group grouping having in inner insert intersect into is join json_array json_exists
		json_object json_query json_table json_value left like listagg localtime localtimestamp natural normalize not null on or
		order outer prepare primary recursive right rollup select skip table then trim true uescape union unnest using values when
		where with`)
	// reservedByDatabricks has the words that standard SQL reserves too, which the server may be set to enforce.
	reservedByDatabricks = set(`
		all and anti any array as at authorization between both by case cast check collate column constraint create cross cube current_date
		current_time current_timestamp current_user default delete describe distinct drop else end escape except exists false fetch filter
		for foreign from full function grant group grouping having in inner insert intersect into is join lateral leading left like local
		minus natural no not null of on only or order outer overlaps primary references revoke right rollup row select semi session_user
		set some table tablesample then time to trailing true union unique unknown update user using values when where window with`)
	// reservedByMySQL are the reserved words of MySQL and MariaDB.
	reservedByMySQL = set(`
		accessible add all alter analyze and as asc asensitive before between bigint binary blob both by call cascade case
		change char character check collate column condition constraint continue convert create cross cube cume_dist
		current_date current_role current_time current_timestamp current_user cursor database databases day_hour day_microsecond
		day_minute day_second dec decimal declare default delayed delete delete_domain_id dense_rank desc describe deterministic
		distinct distinctrow div do_domain_ids double drop dual each else elseif empty enclosed escaped except exists exit
		explain false fetch first_value float float4 float8 for force foreign from fulltext function generated get grant group
		grouping groups having high_priority hour_microsecond hour_minute hour_second if ignore ignore_domain_ids in index
		infile inner inout insensitive insert int int1 int2 int3 int4 int8 integer intersect interval into io_after_gtids
		io_before_gtids is iterate join json_table key keys kill lag last_value lateral lead leading leave left like limit
		linear lines load localtime localtimestamp lock long longblob longtext loop low_priority manual master_bind
		master_demote_to_replica master_demote_to_slave master_heartbeat_period master_ssl_verify_server_cert match maxvalue
		mediumblob mediumint mediumtext middleint minute_microsecond minute_second mod modifies natural no_write_to_binlog not
		nth_value ntile null numeric of offset on optimize optimizer_costs option optionally or order out outer outfile over
		page_checksum parallel parse_vcol_expr partition percent_rank portion position precision primary procedure purge qualify
		range rank read read_write reads real recursive ref_system_id references regexp release rename repeat replace require
		resignal restrict return returning revoke right rlike row row_number rows schema schemas second_microsecond select
		sensitive separator set show signal slow smallint spatial specific sql sql_big_result sql_cache sql_calc_found_rows
		sql_no_cache sql_small_result sqlexception sqlstate sqlwarning ssl starting stats_auto_recalc stats_persistent
		stats_sample_pages stored straight_join system table tablesample terminated then tinyblob tinyint tinytext to trailing
		trigger true undo union unique unlock unsigned update usage use using utc_date utc_time utc_timestamp values varbinary
		varchar varcharacter varying virtual when where while window with write xor year_month zerofill`)
)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}
