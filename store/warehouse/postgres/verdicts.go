package postgres

import (
	"path"
	"strings"

	"service/store/pattern"
	"service/store/sqltext"
)

// libraries matches the libraries of C functions that are known to run no SQL from their arguments, apart from the functions of
// harmfulCode: those of PostgreSQL's own extensions and of widely used ones.
const libraries = `^(` +
	`_int|adminpack|amcheck|address_standardizer.*|auto_explain|autoinc|bloom|btree_gin|btree_gist|citext|cube|` +
	`datasketches|dict_int|dict_xsyn|earthdistance|file_fdw|fuzzystrmatch|h3.*|hll|hstore.*|hypopg|insert_username|` +
	`ip4r|isn|jsquery|lo|ltree.*|moddatetime|mobilitydb.*|libmobilitydb.*|libpgrouting.*|old_snapshot|pageinspect|` +
	`pg_bigm|pg_buffercache|pg_freespacemap|pg_prewarm|pg_similarity|pg_stat_statements|pg_surgery|pg_trgm|` +
	`pg_visibility|pg_walinspect|pgcrypto|pgpointcloud.*|pgroonga.*|pgrowlocks|pgstattuple|pgxml|pgvector|plpgsql|` +
	`postgis.*|postgres_fdw|prefix|refint|rtpostgis.*|rum|seg|sslinfo|tablefunc|tcn|tdigest|test_decoding|` +
	`timescaledb.*|topn|tsm_system_rows|tsm_system_time|unaccent|unit|uuid-ossp|vector|xml2` +
	`)(-[0-9.]+)?$`

// harmfulCode matches the names of the code of C functions that run SQL from their arguments or have effects.
const harmfulCode = `^(crosstab|connectby|xpath_table|dblink|pg_file_|pg_logdir_ls|heap_force_|pg_truncate_visibility_map|` +
	`pg_stat_statements_reset|autoprewarm_|pg_background_|plproxy_|http_request|urlencode_jsonb_request|pg_buffercache_evict|` +
	`master_run_on_worker|run_command_on_|worker_|ts_bgw_db_workers_|` +
	`pgroonga_(command|database_remove|vacuum|set_writable|wal_apply|wal_truncate|wal_set_applied_position))`

var (
	known  = pattern.New(libraries)
	harms  = pattern.New(harmfulCode)
	hinted = pattern.New(`(?i)(sql|query|command|statement|stmt|cmd|execute|exec|script)`)
	// judged matches the procedural languages whose bodies foreign checks.
	judged = pattern.New(`^(plpython[23]?u?|plperlu?|pltclu?|plv8)$`)
	// foreign matches code of procedural languages that runs SQL or reaches outside the database.
	foreign = pattern.New(`(?i)spi_|plpy\.|plv8\.|spi\.|server\.|execute|prepare|` +
		`system|subprocess|popen|socket|\beval\b|\bexec\b|import\s+os`)
)

// harmless matches functions of the gate's list that a view may call, because the caller has no influence on the call.
var harmless = pattern.New(`^(pg_ls_|pg_stat_file|pg_advisory_|pg_try_advisory_|set_config)`)

// look reads a function's body: the names it mentions, and whether by itself it runs SQL from its arguments or has effects.
func (f *function) look() {
	f.mentions = newMentions()
	for _, name := range f.canonical {
		f.harmful = f.harmful || gate.Risky(name) && !(f.builtin() && harmless.MatchString(name))
		f.reads(name)
	}
	switch f.language {
	case "internal":
	case "c":
		f.harmful = f.harmful || harms.MatchString(f.source) || gate.Risky(f.source) || !known.MatchString(f.file()) && f.opaque()
		f.reads(f.source)
	case "sql", "plpgsql":
		f.harmful = f.harmful || f.read(sqltext.Read(f.source))
	default:
		f.harmful = foreign.MatchString(f.source) || !judged.MatchString(f.language) && f.opaque()
	}
}

// reads records whether a function with this code of PostgreSQL or a library reads tables or types that its caller names.
func (f *function) reads(code string) {
	f.mentions.anyView = f.mentions.anyView || readsTables.MatchString(code)
	f.mentions.anyType = f.mentions.anyType || readsValues.MatchString(code)
}

// builtin reports whether a function is PostgreSQL's own: functions that are created later have oids from 16384 on.
func (f *function) builtin() bool { return len(f.id) < 5 || len(f.id) == 5 && f.id < "16384" }

// file returns the name of a C function's library, without its folder and ending.
func (f *function) file() string {
	return strings.TrimSuffix(strings.TrimSuffix(path.Base(f.library), ".so"), ".dll")
}

// opaque reports whether code that cannot be judged, such as C code of an unknown library, could run SQL: it has text arguments, its result
// depends on more than its arguments, and it returns rows, is volatile, or has names that suggest SQL.
func (f *function) opaque() bool {
	text := false
	for _, id := range f.arguments[:max(len(f.arguments)-1, 0)] {
		switch id {
		case "25", "1043", "1042", "2275", "19", "1009", "1015", "114", "3802": // text, varchar, char, cstring, name, arrays, json
			text = true
		}
	}
	return text && f.volatility != "i" && (f.set || f.volatility == "v" || hinted.MatchString(f.name+" "+f.names))
}

// read adds the names that a body in SQL or PL/pgSQL mentions, and reports whether it runs SQL that it builds, or calls a function of the
// gate's lists. It may hold locks: the time limit ends them.
func (f *function) read(q sqltext.Query) (runs bool) {
	f.mentions.add(q)
	for i := range q.Tokens {
		switch {
		case f.language == "plpgsql" && q.Is(i, "execute") && !q.Is(i-1, "."):
			text, made := executed(q, i+1)
			if made || f.read(sqltext.Read(text)) {
				return true
			}
		case !q.Called(i):
		case f.calls(q, i):
			return true
		}
	}
	return false
}

// calls reports whether a query must not make the call at token i of a body.
func (f *function) calls(q sqltext.Query, i int) bool {
	for _, name := range folded(q, i) {
		switch {
		case strings.HasPrefix(name, "pg_advisory_"), strings.HasPrefix(name, "pg_try_advisory_"):
		case name == "set_config" && q.Kind(i+2) == sqltext.String && q.Is(i+3, ","): // a setting that its maker chose
		case gate.RunsText(name) && gate.PlainSQL(q, i+1):
		case gate.Risky(name):
			return true
		}
	}
	return false
}

// executed returns the string that EXECUTE runs, which begins at token i; made reports that it runs other SQL. The string may be the
// template of a format(…) in which all values become literals.
func executed(q sqltext.Query, i int) (text string, made bool) {
	for q.Is(i, "(") {
		i++
	}
	formats := q.Is(i, "format") && q.Is(i+1, "(")
	if formats {
		i += 2
	}
	if q.Kind(i) != sqltext.String {
		return "", true
	}
	text = q.Value(i)
	if formats {
		if !literals(text) || !q.Is(i+1, ",", ")") {
			return "", true
		}
		for depth := 1; depth > 0 && i < len(q.Tokens); i++ {
			switch {
			case q.Is(i+1, "("):
				depth++
			case q.Is(i+1, ")"):
				depth--
			}
		}
	}
	for i++; q.Is(i, ")"); i++ {
	}
	return text, i < len(q.Tokens) && !q.Is(i, "into", "using", "loop", ";")
}

// literals reports whether format(…) puts only literals into the SQL of a template: each % is part of a %L between blanks, brackets or
// commas, and not in quotes or a comment.
func literals(template string) bool {
	q := sqltext.Read(template)
	holes := 0
	for i := range q.Tokens {
		t := q.Tokens[i]
		if q.Is(i, "%") && strings.ContainsAny(around(template, t.From-1), " \n\t(,=") &&
			i+1 < len(q.Tokens) && q.Text(i+1) == "L" && q.Tokens[i+1].From == t.To &&
			strings.ContainsAny(around(template, t.To+1), " \n\t),;") {
			holes++
		}
	}
	return !q.Commented && holes == strings.Count(template, "%")
}

// around returns the byte at i of text, or a blank if i is before or after the text.
func around(text string, i int) string {
	if i < 0 || i >= len(text) {
		return " "
	}
	return text[i : i+1]
}

// bad reports whether a function must not be called.
func (d *definitions) bad(f *function) bool {
	if f.verdict == unknown {
		f.verdict = good
		if f.harmful || d.badParts(f.parts, f.relations) || d.badMentions(f.mentions) || d.badImplicit(f.mentions) != "" {
			f.verdict = bad
		}
	}
	return f.verdict == bad
}

// badParts reports whether one of the functions or relations of these oids must not be used.
func (d *definitions) badParts(functions, relations []string) bool {
	for _, id := range functions {
		if f := d.functions[id]; f != nil && d.bad(f) {
			return true
		}
	}
	for _, id := range relations {
		if r := d.relations[id]; r != nil && d.badRelation(r) {
			return true
		}
		for _, o := range d.implicit {
			if d.owned(o, id) && d.badFunction(o.function) {
				return true
			}
		}
	}
	return false
}

func (d *definitions) badFunction(id string) bool {
	f := d.functions[id]
	return f != nil && d.bad(f)
}

func (d *definitions) badRelation(r *relation) bool {
	if r.verdict == unknown {
		r.verdict = good
		if d.badParts(r.parts, r.relations) {
			r.verdict = bad
		}
	}
	return r.verdict == bad
}

// badMentions reports whether a body mentions a function or a relation that must not be used.
func (d *definitions) badMentions(m mentions) bool {
	for _, f := range d.functions {
		if (m.calls[f.name] || m.fields[f.name] && f.field()) && d.bad(f) {
			return true
		}
	}
	for _, r := range d.relations {
		if (m.anyView || m.words[r.name]) && d.badRelation(r) {
			return true
		}
	}
	return false
}

// field reports whether v.f may call the function.
func (f *function) field() bool { return f.composite && f.alone }

// beyond describes the functions that must not be called.
const beyond = "runs SQL that it makes of its arguments, or does more than read tables"

// refuse returns the [sqltext.Error] of the first function or relation in q that must not be used, or nil.
func (d *definitions) refuse(q sqltext.Query) error {
	if d.over {
		return &sqltext.Error{Message: "The query calls more functions and views than can be looked up. Call fewer of them."}
	}
	if err := d.refuseNames(q, q, -1); err != nil {
		return err
	}
	if what := d.badImplicit(d.root); what != "" {
		return &sqltext.Error{Message: "The SQL uses " + what + ", which cannot be used: its function " + beyond + "."}
	}
	return nil
}

// refuseNames refuses the names of part, which is all of q, or one of its strings: that of token at.
func (d *definitions) refuseNames(q, part sqltext.Query, at int) error {
	fail := func(i int, what, name, does string) error {
		if at >= 0 {
			i = at
		}
		return q.Error(i, "The "+what+` "`+name+`" cannot be used: it `+does+".")
	}
	for i := range part.Tokens {
		if !part.Named(i) {
			continue
		}
		for _, name := range folded(part, i) {
			if does := d.reachesBad(reach(part, i, name)); does != "" {
				return fail(i, "function", name, does)
			}
			for _, f := range d.functions {
				called := part.Called(i) && inSchema(part, i, f.schema) || part.Is(i-1, ".") && f.field()
				if f.name != name || f.builtin() || !called || part.Called(i) && f.given(name) {
					continue
				}
				if d.bad(f) {
					return fail(i, "function", name, beyond)
				}
			}
			for _, r := range d.relations {
				if r.name == name && d.badRelation(r) {
					return fail(i, r.kind, name, "calls a function that "+beyond)
				}
			}
		}
	}
	if !readsStrings(part) {
		return nil
	}
	for i := range part.Tokens {
		if part.Kind(i) != sqltext.String {
			continue
		}
		from := at
		if from < 0 {
			from = i
		}
		if err := d.refuseNames(q, sqltext.Read(part.Value(i)), from); err != nil {
			return err
		}
	}
	return nil
}

// given reports whether the function is the one of this name in the gate's list. Such a function runs its string arguments: the gate has
// checked the SQL in them, and their names are judged.
func (f *function) given(name string) bool {
	return gate.RunsText(name) && (f.language == "c" && gate.RunsText(f.source) || f.extension == "pgrouting")
}

// reachesBad describes a function that may read any relation, or a value of any type, if one of them must not be used; otherwise it
// returns "".
func (d *definitions) reachesBad(anyView, anyType bool) string {
	if anyView {
		for _, r := range d.relations {
			if d.badRelation(r) {
				return "reads a " + r.kind + " that calls a function that " + beyond
			}
		}
	}
	if anyType {
		for _, o := range d.implicit {
			if o.kind == "type" && d.badFunction(o.function) {
				return "reads a value of a type whose function " + beyond
			}
		}
	}
	return ""
}

// inSchema reports whether the name at token i may belong to a schema: it is written with that schema, or without one.
func inSchema(q sqltext.Query, i int, schema string) bool {
	if !q.Is(i-1, ".") || !q.Named(i-2) {
		return true
	}
	for _, name := range folded(q, i-2) {
		if name == schema {
			return true
		}
	}
	// (v).f(…) is not SQL, and a database before the schema is always this one.
	return false
}
