package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"

	"service/store/warehouse"
	"service/store/warehouse/postgres"
	"service/store/warehouse/warehousetest"
)

// rogue is the server's end of a connection; a test decides what the server sends.
type rogue struct {
	net.Conn
	*pgproto3.Backend
	sent int
}

// rogues is a connector to a server that has serve answer each connection that is not there to cancel a query.
func rogues(t *testing.T, serve func(r *rogue)) *postgres.Connector {
	t.Helper()
	at := warehousetest.Serve(t, func(_ int, conn net.Conn) {
		r := &rogue{Conn: conn, Backend: pgproto3.NewBackend(conn, conn)}
		if hello, err := r.ReceiveStartupMessage(); err != nil {
			return
		} else if _, ok := hello.(*pgproto3.StartupMessage); ok {
			serve(r)
		}
	})
	c, err := postgres.Open(at, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// say sends messages. It reports whether the client still listens.
func (r *rogue) say(messages ...pgproto3.BackendMessage) bool {
	var all []byte
	for _, m := range messages {
		var err error
		if all, err = m.Encode(all); err != nil {
			panic(err)
		}
	}
	n, err := r.Write(all)
	r.sent += n
	return err == nil
}

// answer signs in and answers the statements of a session. The rows of one that contains marker, which has
// columns of types, are up to rows.
func (r *rogue) answer(marker string, types []uint32, rows func()) {
	r.say(&pgproto3.AuthenticationOk{}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
	marked := false
	for {
		said, err := r.Receive()
		if err != nil {
			return
		}
		switch said := said.(type) {
		case *pgproto3.Parse:
			marked = strings.Contains(said.Query, marker)
			r.say(&pgproto3.ParseComplete{})
		case *pgproto3.Bind:
			r.say(&pgproto3.BindComplete{})
		case *pgproto3.Describe:
			if !marked {
				r.say(&pgproto3.NoData{})
				continue
			}
			fields := make([]pgproto3.FieldDescription, len(types))
			for i, oid := range types {
				fields[i] = pgproto3.FieldDescription{Name: fmt.Append(nil, "c", i), DataTypeOID: oid, DataTypeSize: -1, TypeModifier: -1}
			}
			r.say(&pgproto3.RowDescription{Fields: fields})
		case *pgproto3.Execute:
			if marked {
				rows()
				return
			}
			r.say(&pgproto3.CommandComplete{CommandTag: []byte("SET")})
		case *pgproto3.Sync:
			r.say(&pgproto3.ReadyForQuery{TxStatus: 'T'})
		}
	}
}

const boolean, text = pgtype.BoolOID, pgtype.TextOID

// dataRow is a row of texts.
func dataRow(values ...string) *pgproto3.DataRow {
	d := &pgproto3.DataRow{}
	for _, v := range values {
		d.Values = append(d.Values, []byte(v))
	}
	return d
}

const most = warehousetest.Endless // bytes that a rogue server sends

// buffers is how much of it may be under way.
const buffers = 16 << 20

// TestIntrospectEnds: the connector soon stops reading from a server that sends far more tables or columns than requested.
func TestIntrospectEnds(t *testing.T) {
	t.Parallel()
	introspect := func(t *testing.T, row func(i int) (table, column string), sent chan<- int) ([]warehouse.Table, error) {
		c := rogues(t, func(r *rogue) {
			r.answer("pg_class", []uint32{text, text, boolean, text, text, boolean, text, text}, func() {
				for i := 0; r.sent < most; i++ {
					table, column := row(i)
					if !r.say(dataRow("public", table, "f", column, "integer", "t", "", "")) {
						break
					}
				}
				sent <- r.sent
			})
		})
		return c.Introspect(t.Context(), warehouse.Introspection{})
	}
	warehousetest.EndlessCatalogs(t, warehouse.MaxCatalog+buffers, introspect)
}

// TestEndlessAsides: the driver keeps some messages other than rows, and together they must fit into the limit of one row.
func TestEndlessAsides(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 10_000)
	asides := map[string]func(i int) pgproto3.BackendMessage{
		"settings": func(i int) pgproto3.BackendMessage {
			return &pgproto3.ParameterStatus{Name: fmt.Sprint(i), Value: long}
		},
		"notifications": func(int) pgproto3.BackendMessage {
			return &pgproto3.NotificationResponse{Channel: "c", Payload: long}
		},
		"notices": func(int) pgproto3.BackendMessage { return &pgproto3.NoticeResponse{Message: long} },
	}
	for at, serve := range map[string]func(r *rogue, aside func() bool){
		"before signing in": func(_ *rogue, aside func() bool) {
			for aside() {
			}
		},
		"in place of an answer": func(r *rogue, aside func() bool) {
			r.answer("SELECT 1 AS n", []uint32{text}, func() {
				for aside() {
				}
			})
		},
		"between rows": func(r *rogue, aside func() bool) {
			r.answer("SELECT 1 AS n", []uint32{text}, func() {
				for aside() && r.say(dataRow("1")) {
				}
			})
		},
		"instead of the cursor": func(r *rogue, aside func() bool) {
			r.answer("DECLARE", []uint32{text}, func() {
				for aside() && r.say(dataRow(long)) {
				}
			})
		},
	} {
		for what, next := range asides {
			t.Run(at+"/"+what, func(t *testing.T) {
				t.Parallel()
				sent := make(chan int, 1)
				c := rogues(t, func(r *rogue) {
					i := 0
					serve(r, func() bool { i++; return r.sent < most && r.say(next(i)) })
					sent <- r.sent
				})
				var table warehousetest.Table
				_, err := c.Query(t.Context(), "SELECT 1 AS n", nil, warehousetest.Wide, &table)
				if bad, ok := errors.AsType[*warehouse.Error](err); !ok || bad.Class != warehouse.Connect {
					t.Errorf("%d rows, %v", len(table.Rows), err)
				}
				if n := <-sent; n > buffers {
					t.Errorf("the client took %d bytes", n)
				}
			})
		}
	}
}

// TestLongMessages: the client neither allocates memory for a message that claims to be long, nor waits for it.
func TestLongMessages(t *testing.T) {
	t.Parallel()
	for name, class := range map[string]warehouse.Class{"R": warehouse.Connect, "D": warehouse.TooLarge} {
		c := rogues(t, func(r *rogue) {
			long := func() {
				r.Write([]byte(name + "\x3f\xff\xff\xff"))
				r.Receive() // until the client has hung up
			}
			if name == "R" {
				long()
			}
			r.answer("SELECT 1 AS n", []uint32{text}, long)
		})
		l := warehousetest.Wide
		l.Time = 20 * time.Second
		_, err := c.Query(t.Context(), "SELECT 1 AS n", nil, l, &warehousetest.Table{})
		if bad, ok := errors.AsType[*warehouse.Error](err); !ok || bad.Class != class {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNotices: notices of a function do not count.
func TestNotices(t *testing.T) {
	t.Parallel()
	admin, err := pgx.Connect(t.Context(), far.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.Background())
	if _, err := admin.Exec(t.Context(), `CREATE FUNCTION chats() RETURNS text LANGUAGE plpgsql AS
		'BEGIN FOR i IN 1..100 LOOP RAISE WARNING ''%'', repeat(''x'', 100000); END LOOP; RETURN ''done''; END'`); err != nil {
		t.Fatal(err)
	}
	var table warehousetest.Table
	if _, err := open(t).Query(t.Context(), "SELECT chats() AS n", nil, warehousetest.Wide, &table); fmt.Sprint(table.Rows) != "[[done]]" {
		t.Error(table.Rows, err)
	}
}

// TestLargeResults: rows do not count to the limit of other messages.
func TestLargeResults(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		"SELECT repeat('x', 1000000) AS a FROM generate_series(1, 12) AS g",
		"SELECT NULL AS a FROM generate_series(1, 200000) AS g",
		"SELECT true AS a, 1::int2 AS b FROM generate_series(1, 200000) AS g",
	} {
		l := warehousetest.Wide
		l.Rows = 200_000
		stats, err := open(t).Query(t.Context(), sql, nil, l, &warehousetest.Table{})
		if stats.Truncated || err != nil {
			t.Errorf("%s: %+v, %v", sql, stats, err)
		}
	}
}
