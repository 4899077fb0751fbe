package mysql

import (
	"strings"

	"service/store/sqltext"
	"service/store/warehouse"
)

// gate decides which SQL is sent to the server, whose own parser must then accept it as a query (see
// prepare), so that a statement must pass two parsers.
//
// It does not list effects that the read-only transaction prevents (stored functions that write to tables, sequences and FOR UPDATE) or
// that the time limit ends (SLEEP, BENCHMARK and waiting for other servers). TestEffects shows the effect of each entry.
var gate = warehouse.Gate{
	Dialect: sqltext.MySQL,
	Starts:  []string{"select", "with", "values", "table"},
	Effects: strings.Fields(`
		load_file get_lock
		asynchronous_connection_failover_* group_replication_* keyring_* audit_log_* audit_api_* version_tokens_*
		service_get_read_locks service_get_write_locks service_release_locks spider_*
		set_firewall_* firewall_* mysql_firewall_* masking_dictionar* gen_dictionary_load gen_dictionary_drop load_rewrite_rules
		mysqlbackup_page_track_* innodb_redo_log_consumer_*`),
	Clause: clause,
}

// clause refuses the clauses of a SELECT that do more than read.
func clause(q sqltext.Query, i int) string {
	switch {
	case q.Is(i-1, ".") && q.Named(i-2): // a name, whatever it is called
	case q.Is(i, "@"), q.Is(i, ":") && q.Is(i+1, "="):
		return "Variables cannot be used. Pass values as parameters, and use window functions for running totals."
	case q.Is(i, "into"):
		return "INTO cannot be used: the rows can only be read."
	case q.Is(i, "for") && q.Is(i+1, "share"), q.Is(i, "lock") && q.Is(i+1, "in"):
		return warehouse.SayOneSelect
	}
	return ""
}

// check checks a query and its number of placeholders with the gate.
func check(sql string, args int) (sqltext.Query, error) {
	q, err := gate.Check(sql)
	if err != nil {
		return q, err
	}
	values := 0
	for i := range q.Tokens {
		if q.Is(i, "?") {
			values++
		}
	}
	if values != args {
		return q, warehouse.Errorf(warehouse.Refused,
			"The SQL has %d placeholders, and there are %d values for them. Write values as parameters.", values, args)
	}
	return q, nil
}
