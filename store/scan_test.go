package store_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"service/store"
	"service/store/storetest"
)

// The values read here equal those that pgx reads, with an error where pgx has one.
func TestScan(t *testing.T) {
	t.Parallel()
	pool := storetest.Pool(t)
	of := func(all ...any) []any { return all } // pointers, of which each read has new ones
	for sql, into := range map[string][]any{
		`''::text, 'añ€', NULL::text`:                                       of(new(string), new(zeronull.Text), new(*string)),
		`'\x00ff'::bytea, ''::bytea, NULL::bytea`:                           of(new([]byte)),
		`'{"a": [1]}'::jsonb, '[]'::jsonb, 'null'::jsonb, NULL::jsonb`:      of(new([]byte), new(store.Files), new(map[string]any)),
		`'5f0c7a52-3b1e-4b8e-9d43-000000000001'::uuid, NULL::uuid`:          of(new(uuid.UUID), new(zeronull.UUID), new(*uuid.UUID)),
		`'2026-11-25 23:59:59.999999+01'::timestamptz, NULL::timestamptz`:   of(new(time.Time), new(zeronull.Timestamptz), new(*time.Time)),
		`'1969-07-20 20:17:40.5Z'::timestamptz, '0001-01-01Z'::timestamptz`: of(new(time.Time), new(*time.Time)),
		`'infinity'::timestamptz`:                                           of(new(time.Time), new(zeronull.Timestamptz)),
		`1::int4, -1::int4, 2147483647::int4, NULL::int4`:                   of(new(int), new(store.OrZero), new(*int), new(int64)),
		`1::int8, (-9223372036854775807)::int8, NULL::int8`:                 of(new(int), new(store.OrZero), new(int64)),
		`true, false, NULL::boolean`:                                        of(new(bool), new(store.OrFalse), new(*bool)),
		`'{}'::text[], '{a,"b c",€}'::text[], NULL::text[]`:                 of(new([]string), new(string)),
		`'{a,NULL}'::text[]`:                                                of(new([]string)),
		`'{{a},{b}}'::text[]`:                                               of(new([]string)),
		`'{}'::bytea[], '{"\\x00","\\x"}'::bytea[], NULL::bytea[]`:          of(new([][]byte)),
		`'{1,-2}'::int4[], '{NULL}'::int4[], NULL::int4[]`:                  of(new([]int)),
		`'{1,-2}'::int8[], NULL::int8[]`:                                    of(new([]int)),
		`'{t,f}'::boolean[], NULL::boolean[]`:                               of(new([]bool)),
		`ARRAY['2026-11-25Z'::timestamptz], NULL::timestamptz[]`:            of(new([]time.Time)),
		`ARRAY['infinity'::timestamptz]`:                                    of(new([]time.Time)),
		`1.5::float8, 1.5::numeric, 7::int2, 'x'::name, NULL::float8`:       of(new(float64), new(string), new(int)),
	} {
		read := func(dest any, scan func(pgx.Rows, []any) error) (all []string) {
			rows, err := pool.Query(t.Context(), `SELECT `+sql+`, 0`) // a row of one column is left to pgx
			if err != nil {
				t.Fatal(sql, err)
			}
			defer rows.Close()
			if !rows.Next() {
				t.Fatal(sql, rows.Err())
			}
			n := len(rows.FieldDescriptions())
			for i := range n - 1 { // each separately, because the first error ends the scan
				dests := make([]any, n)
				dests[i] = reflect.New(reflect.TypeOf(dest).Elem()).Interface()
				if err := scan(rows, dests); err != nil {
					return append(all, "an error")
				}
				all = append(all, fmt.Sprintf("%#v", reflect.ValueOf(dests[i]).Elem()))
				if p := reflect.ValueOf(dests[i]).Elem(); p.Kind() == reflect.Pointer && !p.IsNil() {
					all[i] = fmt.Sprintf("%#v", p.Elem())
				}
			}
			return all
		}
		for _, dest := range into {
			want := read(dest, func(rows pgx.Rows, to []any) error { return rows.Scan(to...) })
			if got := read(dest, store.ScanRow); !reflect.DeepEqual(got, want) {
				t.Errorf("%s into %T:\n got %q\nwant %q", sql, dest, got, want)
			}
		}
	}
}

// BenchmarkScan queries a row of 43 columns, as the details of a dashboard do, and reads it with this package and with pgx.
func BenchmarkScan(b *testing.B) {
	rows := row(b)
	for name, scan := range map[string]func(pgx.Rows, []any) error{
		"here": store.ScanRow, "pgx": func(rows pgx.Rows, to []any) error { return rows.Scan(to...) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				rows(b, scan)
			}
		})
	}
}

func row(b *testing.B) func(*testing.B, func(pgx.Rows, []any) error) {
	b.Helper()
	pool := storetest.Pool(b)
	columns, text := "", make([]any, 0, 43)
	for i := range 43 {
		switch i % 4 {
		case 0:
			columns, text = columns+", 'a text'::text", append(text, new(zeronull.Text))
		case 1:
			columns, text = columns+", now()", append(text, new(*time.Time))
		case 2:
			columns, text = columns+", '00000000-0000-7000-8000-000000000001'::uuid", append(text, new(zeronull.UUID))
		case 3:
			columns, text = columns+", ARRAY['a', 'b']", append(text, new([]string))
		}
	}
	return func(b *testing.B, scan func(pgx.Rows, []any) error) {
		rows, err := pool.Query(b.Context(), `SELECT `+columns[2:])
		if err != nil {
			b.Fatal(err)
		}
		defer rows.Close()
		if !rows.Next() {
			b.Fatal(rows.Err())
		}
		if err := scan(rows, text); err != nil {
			b.Fatal(err)
		}
	}
}
