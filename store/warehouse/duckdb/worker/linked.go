package worker

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"service/store/warehouse"
	"service/store/warehouse/duckdb/datafile"
	"service/store/warehouse/duckdb/wire"
)

// A linked is a table over Parquet files of which only parts may be present. The server adds the parts of a [wire.Plan] to the files before
// it sends the query. A part that is absent consists of zeros, which the engine refuses as a page.
type linked struct {
	name    string
	columns map[string]string // types of the engine, by names in lower case
	parts   []*linkedPart
}

// A linkedPart is one file of a linked table.
type linkedPart struct {
	number int // among all files of linked tables
	file   *os.File
	footer *datafile.Footer
	bounds []bounds // of row groups; nil if they are not known
}

// near is the number of bytes between two parts that are read too, instead of a request of their own.
const near = 64 << 10

// loadLinked creates a view of the Parquet files of a table.
func (db *database) loadLinked(t wire.Table) error {
	l := &linked{name: t.Name, columns: map[string]string{}}
	for _, path := range t.Parts {
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("worker: open a linked file: %w", err)
		}
		info, err := f.Stat()
		if err != nil {
			return fmt.Errorf("worker: open a linked file: %w", err)
		}
		p := &linkedPart{number: db.parts, file: f}
		db.parts++
		if p.footer, err = datafile.ReadFooter(f, info.Size()); err != nil {
			return err
		}
		l.parts = append(l.parts, p)
	}
	paths := make([]string, len(t.Parts))
	for i, path := range t.Parts {
		paths[i] = literal(path)
	}
	source := "read_parquet([" + strings.Join(paths, ", ") + "], union_by_name = true, hive_partitioning = false)"
	described, err := db.all("DESCRIBE SELECT * FROM " + source)
	if err != nil {
		return notParquet(err)
	}
	if len(described) > datafile.MaxColumns {
		return warehouse.Errorf(warehouse.TooLarge, "the files have %d columns; at most %d are possible", len(described), datafile.MaxColumns)
	}
	list := make([]string, len(described))
	for i, row := range described {
		name := fmt.Sprint(row[0])
		list[i], l.columns[strings.ToLower(name)] = identifier(name), fmt.Sprint(row[1])
	}
	if err := db.exec("CREATE VIEW " + identifier(t.Name) + " AS SELECT " + strings.Join(list, ", ") + " FROM " + source); err != nil {
		return notParquet(err)
	}
	for i, p := range l.parts {
		if p.bounds, err = db.boundsOf(t.Parts[i], p.footer); err != nil {
			return notParquet(err)
		}
	}
	db.linked = append(db.linked, l)
	return db.learn(t.Name)
}

// plan returns the parts of linked files that the query reads for a number of rows. If whole is set, it leaves out no row group.
func (q *query) plan(maxRows int, whole bool) (wire.Result, error) {
	var result wire.Result
	err := q.reads(maxRows, whole, func(p *linkedPart, columns []string, in func(int) bool) error {
		for group := range p.footer.Groups() {
			result.Pruned = result.Pruned || !in(group)
		}
		for _, r := range p.footer.Ranges(columns, in) {
			result.Ranges = append(result.Ranges, wire.Range{File: p.number, From: r.From, To: r.To})
		}
		return nil
	})
	result.Ranges = merged(result.Ranges)
	if len(result.Ranges) > wire.MaxRanges {
		return result, warehouse.Errorf(warehouse.TooLarge, "the query reads too many parts of the files; read fewer columns, "+
			"or save the files with larger row groups")
	}
	return result, err
}

// merged sorts parts and joins those that are near each other.
func merged(parts []wire.Range) (out []wire.Range) {
	slices.SortFunc(parts, func(a, b wire.Range) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.From, b.From)) })
	for _, p := range parts {
		if n := len(out) - 1; n >= 0 && out[n].File == p.File && p.From <= out[n].To+near {
			out[n].To = max(out[n].To, p.To)
			continue
		}
		out = append(out, p)
	}
	return out
}

// checkPages checks the pages that the query reads of linked files, which are present.
func (q *query) checkPages(maxRows int, whole bool) error {
	return q.reads(maxRows, whole, func(p *linkedPart, columns []string, in func(int) bool) error {
		return p.footer.CheckPages(p.file, columns, in)
	})
}

// reads calls each with the reads of each linked file by the query: the columns, nil for all, of the row groups for which in is true.
func (q *query) reads(maxRows int, whole bool, each func(p *linkedPart, columns []string, in func(group int) bool) error) error {
	if len(q.db.linked) == 0 {
		return nil
	}
	sql, _ := q.statement(maxRows)
	scans, err := q.scans(sql)
	if err != nil {
		return err
	}
	for _, s := range scans {
		of := slices.Collect(func(yield func(*linked) bool) {
			for _, l := range q.db.linked {
				if s.fits(l) && !yield(l) {
					return
				}
			}
		})
		if len(of) == 0 { // a plan that is not known
			of, s.columns, s.conditions = q.db.linked, nil, nil
		}
		for _, l := range of {
			for _, p := range l.parts {
				in := func(int) bool { return true }
				if len(of) == 1 && !whole && p.bounds != nil {
					in = func(group int) bool { return s.may(l, p.bounds[group]) }
				}
				if err := each(p, s.reads(l), in); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
