package postgres

import (
	"context"
	"slices"
	"strings"
)

// An implicit is an operator, a cast or a type of the catalog through which SQL calls a function without naming it.
type implicit struct {
	kind     string // operator, cast, type
	name     string // of an operator
	function string // its oid
	types    []string
	names    []string // of types
	own      []bool   // whether each is not PostgreSQL's own
	silent   bool     // an implicit cast
}

// owned reports whether o belongs to a type that is not PostgreSQL's own, and the type with this oid is that type or contains it.
func (d *definitions) owned(o implicit, id string) bool {
	for i, part := range o.types {
		if o.kind != "operator" && o.own[i] && (part == id || d.held[[2]string{part, id}]) {
			return true
		}
	}
	return false
}

// readImplicits selects the operators, casts and types whose functions are neither PostgreSQL's own nor of a known library.
const readImplicits = `
	SELECT x.kind, x.name, x.f::text, ARRAY[x.a::text, x.b::text],
	       ARRAY[coalesce(s.typname::text, ''), coalesce(t.typname::text, '')], ARRAY[x.a >= 16384, x.b >= 16384], x.silent
	  FROM (SELECT 'operator' AS kind, o.oprname::text AS name, f.f, o.oprleft AS a, o.oprright AS b, false AS silent
	          FROM pg_catalog.pg_operator o, unnest(ARRAY[o.oprcode::oid, o.oprrest::oid, o.oprjoin::oid]) AS f(f) WHERE o.oid >= 16384
	        UNION ALL
	        SELECT 'cast', '', c.castfunc, c.castsource, c.casttarget, c.castcontext = 'i' FROM pg_catalog.pg_cast c WHERE c.oid >= 16384
	        UNION ALL
	        SELECT 'type', '', f.f, t.oid, t.typelem, false
	          FROM pg_catalog.pg_type t, unnest(ARRAY[t.typinput::oid, t.typoutput::oid, t.typreceive::oid, t.typsend::oid, t.typmodin::oid,
	               t.typmodout::oid]) AS f(f) WHERE t.oid >= 16384
	        UNION ALL
	        SELECT 'type', '', m.m[1]::oid, c.contypid, 0, false
	          FROM pg_catalog.pg_constraint c,
	               regexp_matches(c.conbin::text, ':(?:funcid|opfuncid) ([1-9][0-9]*)', 'g') AS m(m) WHERE c.contypid >= 16384
	        UNION ALL
	        SELECT 'type', '', f.f, r.rngtypid, r.rngsubtype, false
	          FROM pg_catalog.pg_range r, unnest(ARRAY[r.rngcanonical::oid, r.rngsubdiff::oid]) AS f(f) WHERE r.rngtypid >= 16384
	        UNION ALL
	        SELECT 'type', '', p.amproc::oid, p.amproclefttype, p.amprocrighttype, false FROM pg_catalog.pg_amproc p WHERE p.oid >= 16384) x
	  JOIN pg_catalog.pg_proc p ON p.oid = x.f
	  JOIN pg_catalog.pg_language l ON l.oid = p.prolang
	  LEFT JOIN pg_catalog.pg_type s ON s.oid = x.a
	  LEFT JOIN pg_catalog.pg_type t ON t.oid = x.b
	 WHERE p.oid >= 16384 AND NOT (l.lanname = 'c' AND p.prosrc !~ $1
	       AND regexp_replace(regexp_replace(p.probin::text, '^.*/', ''), '\.(so|dll)$', '') ~ $2)
	    OR p.oid < 16384 AND x.kind <> 'type'
	       AND p.proname ~ '^(query_to_xml|ts_stat|ts_rewrite|pg_read_|pg_ls_|lo_import|lo_export|pg_terminate_|pg_cancel_)'`

// readImplicit reads those that the database has.
func (d *definitions) readImplicit(ctx context.Context) error {
	rows, err := d.conn.Query(ctx, readImplicits, harmfulCode, libraries)
	if err != nil {
		return err
	}
	for rows.Next() && d.room(rows.RawValues()) {
		var o implicit
		if err := rows.Scan(&o.kind, &o.name, &o.function, &o.types, &o.names, &o.own, &o.silent); err != nil {
			rows.Close()
			return err
		}
		d.implicit = append(d.implicit, o)
	}
	return d.close(rows)
}

// readHolders selects the types that contain one of the types $1, at any depth: domains over it or with a check that mentions it, and
// arrays, ranges and rows of it.
const readHolders = `
	WITH RECURSIVE edge (part, whole) AS (
	  SELECT t.typbasetype, t.oid FROM pg_catalog.pg_type t WHERE t.typbasetype >= 16384
	  UNION SELECT t.typelem, t.oid FROM pg_catalog.pg_type t WHERE t.typelem >= 16384
	  UNION SELECT r.rngsubtype, r.rngtypid FROM pg_catalog.pg_range r WHERE r.rngsubtype >= 16384
	  UNION SELECT r.rngtypid, (to_jsonb(r)->>'rngmultitypid')::oid FROM pg_catalog.pg_range r
	         WHERE r.rngtypid >= 16384 AND to_jsonb(r)->>'rngmultitypid' IS NOT NULL
	  UNION SELECT a.atttypid, c.reltype FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
	         WHERE a.atttypid >= 16384 AND a.attnum > 0 AND c.reltype >= 16384
	  UNION SELECT m.m[1]::oid, c.contypid FROM pg_catalog.pg_constraint c,
	               regexp_matches(c.conbin::text, ':(?:resulttype|consttype|vartype) ([1-9][0-9]*)', 'g') AS m(m) WHERE c.contypid >= 16384
	), held (part, whole) AS (
	  SELECT p.p, p.p FROM unnest($1::text[]::oid[]) AS p(p)
	  UNION SELECT h.part, e.whole FROM held h JOIN edge e ON e.part = h.whole
	)
	SELECT h.part::text, h.whole::text FROM held h`

// readHeld reads which types contain the types of implicit functions.
func (d *definitions) readHeld(ctx context.Context) error {
	parts := map[string]bool{}
	for _, o := range d.implicit {
		for i, id := range o.types {
			parts[id] = parts[id] || o.own[i]
		}
	}
	d.held = map[[2]string]bool{}
	rows, err := d.conn.Query(ctx, readHolders, fresh(map[string]bool{}, parts))
	if err != nil {
		return err
	}
	for rows.Next() && d.room(rows.RawValues()) {
		var pair [2]string
		if err := rows.Scan(&pair[0], &pair[1]); err != nil {
			rows.Close()
			return err
		}
		d.held[pair] = true
	}
	return d.close(rows)
}

// readPresent reads the types that values of the query may have.
func (d *definitions) readPresent(ctx context.Context) error {
	if d.over {
		return nil
	}
	if err := d.readHeld(ctx); err != nil || d.over {
		return err
	}
	words := fresh(map[string]bool{}, d.all.words)
	d.present = map[string]bool{}
	rows, err := d.conn.Query(ctx, `
		SELECT a.atttypid::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
		 WHERE c.relname = ANY ($1::text[]::name[]) AND a.atttypid >= 16384
		 UNION SELECT t.oid::text FROM pg_catalog.pg_type t WHERE t.typname = ANY ($1::text[]::name[])`, words)
	if err != nil {
		return err
	}
	for rows.Next() && d.room(rows.RawValues()) {
		var id string
		if err := rows.Scan(&id); err != nil {
			rows.Close()
			return err
		}
		d.present[id] = true
	}
	for _, f := range d.functions {
		if d.all.calls[f.name] {
			for _, id := range f.arguments {
				d.present[id] = true
			}
		}
	}
	for _, r := range d.relations {
		if d.all.words[r.name] {
			for _, id := range r.relations {
				d.present[id] = true
			}
		}
	}
	for pair := range d.held {
		d.present[pair[0]] = d.present[pair[0]] || d.present[pair[1]]
	}
	return d.close(rows)
}

// synonyms are the SQL names of types that have another name in the catalog.
var synonyms = map[string][]string{
	"int2": {"smallint"}, "int4": {"int", "integer"}, "int8": {"bigint"}, "float4": {"real"}, "float8": {"float", "double"},
	"numeric": {"decimal", "dec"}, "bool": {"boolean"}, "varchar": {"character", "char", "varying"}, "bpchar": {"character", "char"},
	"timestamptz": {"timestamp"}, "timetz": {"time"}, "varbit": {"bit"},
}

// implied are the operators that SQL uses without writing them, by the words that imply them.
var (
	implied  = strings.Fields("= <> < > <= >= ~~ !~~ ~~* !~~* ~ !~")
	implying = strings.Fields("in between like ilike similar case nullif using natural any all some")
)

// badImplicit describes an implicit that SQL with these mentions may use and must not. It returns "" for SQL that uses only allowed ones.
func (d *definitions) badImplicit(m mentions) string {
	for _, o := range d.implicit {
		if !d.uses(o, m) || !d.badFunction(o.function) {
			continue
		}
		switch o.kind {
		case "operator":
			return `the operator "` + o.name + `"`
		case "cast":
			return `the cast to the type "` + o.names[1] + `"`
		}
		return `the type "` + o.names[0] + `"`
	}
	return ""
}

// uses reports whether SQL with these mentions may use o.
func (d *definitions) uses(o implicit, m mentions) bool {
	if m.anyType && o.kind == "type" {
		return true
	}
	own := false
	for i := range o.types {
		if i < len(o.own) && o.own[i] {
			own = true
			if d.present[o.types[i]] || m.words[o.names[i]] {
				return o.kind != "operator" || m.operators[o.name] || slices.Contains(implied, o.name)
			}
		}
	}
	switch {
	case own:
		return false
	case o.kind == "operator":
		return m.operators[o.name] ||
			slices.Contains(implied, o.name) && slices.ContainsFunc(implying, func(w string) bool { return m.words[w] })
	case o.kind == "cast":
		return o.silent || m.words[o.names[1]] || slices.ContainsFunc(synonyms[o.names[1]], func(w string) bool { return m.words[w] })
	}
	return false
}
