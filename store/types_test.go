package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/store"
	"service/store/storetest"
)

// A uuid is read as it was sent, alone, in lists and as NULL, without being converted to a text.
func TestUUIDs(t *testing.T) {
	t.Parallel()
	db := storetest.Pool(t)
	ctx := t.Context()
	id, other := uuid.New(), uuid.New()
	var one uuid.UUID
	var none *uuid.UUID
	var given *uuid.UUID
	var list []uuid.UUID
	var maybe uuid.NullUUID
	var text string
	err := db.QueryRow(ctx, `SELECT $1::uuid, $2::uuid, $3::uuid, $4::uuid[], $5::uuid, $1::uuid::text`,
		id, none, &other, []uuid.UUID{id, other}, uuid.NullUUID{UUID: other, Valid: true}).Scan(&one, &none, &given, &list, &maybe, &text)
	if err != nil || one != id || none != nil || *given != other || len(list) != 2 || list[0] != id || list[1] != other ||
		maybe.UUID != other || text != id.String() {
		t.Fatal(err, one, none, given, list, maybe, text)
	}
	if err := db.QueryRow(ctx, `SELECT NULL::uuid`).Scan(&maybe); err != nil || maybe.Valid {
		t.Error(err, maybe)
	}
	err = db.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		if plan := fmt.Sprintf("%T", c.Conn().TypeMap().PlanEncode(pgtype.UUIDOID, pgx.BinaryFormatCode, id)); plan != "store.sixteen" {
			t.Errorf("a uuid is sent by a %s", plan)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestTimesAreUTC: times are in UTC in any zone of the machine, both as pgx and as the store reads them.
func TestTimesAreUTC(t *testing.T) {
	t.Parallel()
	var at, again time.Time
	var list, others []time.Time
	rows, err := storetest.Pool(t).Query(t.Context(), `SELECT now(), ARRAY[now()]`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if !rows.Next() || rows.Scan(&at, &list) != nil || store.ScanRow(rows, []any{&again, &others}) != nil {
		t.Fatal(rows.Err())
	}
	for _, read := range []time.Time{at, list[0], again, others[0]} {
		if read.Location() != time.UTC || !read.Equal(at) {
			t.Errorf("%#v", read)
		}
	}
}
