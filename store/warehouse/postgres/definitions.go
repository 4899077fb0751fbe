package postgres

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"service/store/sqltext"
	"service/store/warehouse"
)

// Bounds of the data that is read from a catalog to judge one query. A query beyond them is refused.
const (
	maxDefinitions = 5000    // functions and relations
	maxSource      = 8 << 20 // bytes
)

// judge refuses sql, which has passed the gate, if it calls a function that runs SQL made from its arguments, directly or through other
// functions: by its name, by an operator, a cast, an aggregate, a type or a view. The gate lists the functions of PostgreSQL and its
// extensions by name; all others are judged by their definitions in the catalog.
//
// Members of the family without such a catalog are queried without this check. The names of the query are not used to find out whether
// there is a catalog, since some names make the lookup fail although there is one, for example in the encoding of the database.
func (c *Connector) judge(ctx context.Context, conn *line, q sqltext.Query) error {
	d := newDefinitions(conn, mentionsOf(q))
	err := d.read(ctx)
	if fails(err, "42", "0A", "22", "XX") && fails(newDefinitions(conn, newMentions()).probe(ctx), "42", "0A", "XX") {
		return nil
	}
	if err != nil {
		return translateError(ctx, err, "")
	}
	return warehouse.RefuseSQL(d.refuse(q))
}

// fails reports whether the server answered with an error of one of these classes. It does not count a missing permission.
func fails(err error, classes ...string) bool {
	bad, ok := errors.AsType[*pgconn.PgError](err)
	return ok && bad.Code != "42501" && slices.Contains(classes, bad.Code[:min(2, len(bad.Code))])
}

// A function is a row of pg_proc that is not PostgreSQL's own, or that another row refers to.
type function struct {
	id, name, schema, language, volatility, source, library, extension string
	arguments                                                          []string // the oids of types of arguments and of the result
	names                                                              string   // of its arguments
	composite                                                          bool     // the first argument may be a row
	alone                                                              bool     // it needs no second argument
	set                                                                bool     // it returns several rows
	parts                                                              []string // oids of functions that it calls according to the catalog
	relations                                                          []string // oids of relations and types in it, and of rows it returns
	canonical                                                          []string // PostgreSQL's own names of the same code

	mentions mentions // of its body
	verdict  verdict
	harmful  bool // by itself it runs SQL made of its arguments, or has effects
}

// A relation is a view, or a table whose policies or generated columns call functions when it is read, and the objects that it
// refers to according to the catalog.
type relation struct {
	id, name, kind   string // kind: view, table
	parts, relations []string
	verdict          verdict
}

// A verdict is whether a function or relation must not be used. It is good while it is being determined, so that a recursive function is
// judged by its other calls.
type verdict int

const (
	unknown verdict = iota
	good
	bad
)

// definitions are the catalog's definitions of the names in a query.
type definitions struct {
	conn      *line
	root      mentions
	functions map[string]*function // by oid
	relations map[string]*relation // by oid
	implicit  []implicit
	present   map[string]bool    // oids of types that values of the query may have, and of types within these
	held      map[[2]string]bool // oids of a type and of one that contains it
	size      int                // bytes
	over      bool
	all       mentions // of the query and of the bodies that it refers to
}

func newDefinitions(conn *line, root mentions) *definitions {
	return &definitions{conn: conn, root: root, all: newMentions(), functions: map[string]*function{}, relations: map[string]*relation{}}
}

// probe runs all queries of read, with names that do not exist.
func (d *definitions) probe(ctx context.Context) error {
	nothing := []string{""}
	_, _, err := d.readRound(ctx, nothing, nothing, nil, false)
	if err == nil {
		err = d.readImplicit(ctx)
	}
	if err == nil {
		err = d.readPresent(ctx)
	}
	return err
}

// read reads the definitions of the names that the query mentions, and of those that these definitions mention.
func (d *definitions) read(ctx context.Context) error {
	if err := d.follow(ctx, d.root, nil, d.all.join); err != nil {
		return err
	}
	if err := d.readImplicit(ctx); err != nil || len(d.implicit) == 0 {
		return err
	}
	ids := make([]string, len(d.implicit))
	for i, o := range d.implicit {
		ids[i] = o.function
	}
	if err := d.follow(ctx, newMentions(), ids, func(mentions) {}); err != nil {
		return err
	}
	return d.readPresent(ctx)
}

// follow reads the definitions of these names and oids, then of the names that they mention, and so on. It passes all mentions to each.
func (d *definitions) follow(ctx context.Context, next mentions, ids []string, each func(mentions)) error {
	asked, askedID := newMentions(), map[string]bool{}
	for !d.over {
		each(next)
		calls, words := fresh(asked.calls, next.calls, next.fields), fresh(asked.words, next.words)
		ids = slices.DeleteFunc(ids, func(id string) bool { return askedID[id] })
		for _, id := range ids {
			askedID[id] = true
		}
		every := next.anyView && !asked.anyView
		if asked.anyView = asked.anyView || every; len(calls)+len(words)+len(ids) == 0 && !every {
			return nil
		}
		var err error
		if next, ids, err = d.readRound(ctx, calls, words, ids, every); err != nil {
			return err
		}
	}
	return nil
}

// fresh returns the names of sets that are not yet in asked, and adds them to asked.
func fresh(asked map[string]bool, sets ...map[string]bool) (names []string) {
	for _, set := range sets {
		for name, in := range set {
			if in && !asked[name] {
				asked[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// referred returns the oids of functions in a tree of the parser, related those of relations and types.
func referred(tree string) string {
	return `ARRAY(SELECT DISTINCT m[1] FROM regexp_matches(` + tree +
		`, ':(?:funcid|opfuncid|aggfnoid|winfnoid|tsmhandler) ([1-9][0-9]*)', 'g') m)`
}

func related(tree string) string {
	return `ARRAY(SELECT DISTINCT m[1] FROM regexp_matches(` + tree + `, ':(?:relid|resulttype|consttype|vartype) ([1-9][0-9]*)', 'g') m)`
}

// body is the parse tree of a function whose SQL body was parsed when it was created (since PostgreSQL 14).
const body = `coalesce(to_jsonb(p)->>'prosqlbody', '')`

var (
	readFunctions = `
		SELECT p.oid::text, p.proname::text, n.nspname::text, l.lanname::text, p.provolatile::text, p.prosrc, coalesce(p.probin::text, ''),
		       coalesce(e.extname::text, ''), p.proargtypes::oid[]::text[] || p.prorettype::text,
		       coalesce(array_to_string(p.proargnames, ' '), ''),
		       coalesce(y.typtype IN ('c', 'p', 'd'), false), p.pronargs - p.pronargdefaults <= 1, p.proretset,
		       CASE WHEN a.aggfnoid IS NOT NULL
		            THEN ARRAY[a.aggtransfn::oid, a.aggfinalfn::oid, a.aggcombinefn::oid, a.aggserialfn::oid, a.aggdeserialfn::oid,
		                       a.aggmtransfn::oid, a.aggminvtransfn::oid, a.aggmfinalfn::oid]::text[]
		            ELSE ` + referred(body) + ` END,
		       ` + related(body) + ` || coalesce(p.proallargtypes, '{}')::text[],
		       CASE WHEN p.oid < 16384 THEN ARRAY[p.proname::text] WHEN l.lanname = 'internal'
		            THEN ARRAY(SELECT b.proname::text FROM pg_catalog.pg_proc b
		                        WHERE b.prolang = p.prolang AND b.prosrc = p.prosrc AND b.oid < 16384)
		            ELSE ARRAY[]::text[] END
		  FROM pg_catalog.pg_proc p
		  JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
		  JOIN pg_catalog.pg_language l ON l.oid = p.prolang
		  LEFT JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = p.oid
		  LEFT JOIN pg_catalog.pg_type y ON y.oid = p.proargtypes[0]
		  LEFT JOIN pg_catalog.pg_depend x ON x.classid = 'pg_catalog.pg_proc'::regclass AND x.objid = p.oid AND x.deptype = 'e'
		  LEFT JOIN pg_catalog.pg_extension e ON e.oid = x.refobjid
		 WHERE p.proname = ANY ($1::text[]::name[]) AND p.oid >= 16384 OR p.oid = ANY ($2::text[]::oid[])`
	// Policies apply to SELECT by any reader: a superuser, an owner or a role that bypasses them is refused like the others. Virtual generated
	// columns are computed when they are read (since PostgreSQL 18).
	// The trees of a relation are read only if it is asked for: those of all the server's own views together take the server tens of
	// milliseconds, and a warehouse may have thousands of views.
	readRelations = `
		SELECT c.oid::text, c.relname::text, c.relkind = 'v', ` + referred("x.tree") + `, ` + related("x.tree") + `
		  FROM pg_catalog.pg_class c,
		       LATERAL (SELECT string_agg(r.tree, ' ')
		                  FROM (SELECT w.ev_action::text FROM pg_catalog.pg_rewrite w
		                         WHERE w.ev_class = c.oid AND c.relkind = 'v' AND w.ev_type = '1'
		                        UNION ALL
		                        SELECT p.polqual::text FROM pg_catalog.pg_policy p
		                         WHERE p.polrelid = c.oid AND c.relrowsecurity AND p.polcmd IN ('r', '*')
		                        UNION ALL
		                        SELECT f.adbin::text
		                          FROM pg_catalog.pg_attrdef f JOIN pg_catalog.pg_attribute a ON a.attrelid = f.adrelid AND a.attnum = f.adnum
		                         WHERE f.adrelid = c.oid AND to_jsonb(a)->>'attgenerated' = 'v') r (tree)) x (tree)
		 WHERE c.oid >= 16384 AND (c.relname = ANY ($1::text[]::name[]) OR $3 OR c.oid = ANY ($2::text[]::oid[])) AND x.tree IS NOT NULL`
)

// readRound reads the functions and relations of these names and oids, or every relation, and returns what they mention.
func (d *definitions) readRound(
	ctx context.Context, calls, words, ids []string, every bool,
) (next mentions, more []string, err error) {
	next = newMentions()
	if len(calls)+len(ids) > 0 {
		var found []*function
		rows, err := d.conn.Query(ctx, readFunctions, calls, ids)
		if err != nil {
			return next, nil, err
		}
		for rows.Next() && d.room(rows.RawValues()) {
			f := &function{}
			if err := rows.Scan(&f.id, &f.name, &f.schema, &f.language, &f.volatility, &f.source, &f.library, &f.extension, &f.arguments,
				&f.names, &f.composite, &f.alone, &f.set, &f.parts, &f.relations, &f.canonical); err != nil {
				rows.Close()
				return next, nil, err
			}
			found = append(found, f)
		}
		if err := d.close(rows); err != nil {
			return next, nil, err
		}
		for _, f := range found {
			if d.functions[f.id] != nil {
				continue
			}
			d.functions[f.id] = f
			f.look()
			next.join(f.mentions)
			more = append(append(more, f.parts...), f.relations...)
		}
	}
	rows, err := d.conn.Query(ctx, readRelations, words, ids, every)
	if err != nil {
		return next, nil, err
	}
	for rows.Next() && d.room(rows.RawValues()) {
		r, isView := &relation{kind: "table"}, false
		if err := rows.Scan(&r.id, &r.name, &isView, &r.parts, &r.relations); err != nil {
			rows.Close()
			return next, nil, err
		}
		if isView {
			r.kind = "view"
		}
		if d.relations[r.id] == nil {
			d.relations[r.id] = r
			more = append(append(more, r.parts...), r.relations...)
		}
	}
	return next, more, d.close(rows)
}

// room counts a row, and reports whether it is within the bounds.
func (d *definitions) room(row [][]byte) bool {
	d.size += d.conn.took(row)
	d.over = d.over || d.size > maxSource || len(d.functions)+len(d.relations) > maxDefinitions
	return !d.over
}

// close ends the reading of rows. If the query is refused, the remaining rows are not read.
func (d *definitions) close(rows interface {
	Close()
	Err() error
},
) error {
	if d.over {
		d.conn.cut()
		rows.Close()
		return nil
	}
	rows.Close()
	return rows.Err()
}
