package postgres

import (
	"strings"

	"service/store/sqltext"
	"service/store/warehouse"
)

// gate decides which SQL is sent to the server, whose own parser then checks that it is a query (see
// declare).
//
// It does not list effects that the read-only transaction, which is always rolled back, prevents (sequences, large objects, NOTIFY, FOR
// UPDATE) or that the time limit ends (pg_sleep). TestEffects shows the effect of each entry.
var gate = warehouse.Gate{
	Dialect: sqltext.Postgres,
	Effects: strings.Fields(`
		pg_terminate_backend pg_cancel_backend
		pg_advisory_* pg_try_advisory_*
		set_config
		pg_reload_conf pg_rotate_logfile* pg_stat_reset* pg_stat_statements_reset
		pg_log* pg_switch_wal pg_switch_xlog pg_create_* pg_copy_* pg_drop_replication_slot pg_replication_*
		pg_start_backup pg_stop_backup pg_backup_start pg_backup_stop pg_promote pg_wal_replay_*
		pg_read_* pg_ls_* pg_stat_file pg_file_* lo_import lo_export
		dblink* heap_force_*`),
	Runs:  strings.Fields(`query_to_xml* ts_stat ts_rewrite crosstab* pgr_* _pgr_*`),
	Joins: strings.Fields(`connectby* xpath_table`),
}
