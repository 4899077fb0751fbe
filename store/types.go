package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// Types sets how a connection sends and reads uuids and times. It is for a pool's AfterConnect.
//
// Uuids are sent and read as their sixteen bytes. pgx does not know the type uuid.UUID: it would convert uuids to texts, and would search
// for the conversion at every parameter of every statement, which took a tenth of the program's time of a small call.
//
// Times are read in UTC. pgx returns them in the machine's zone, so that two times of the same instant would differ and a day would begin
// when it begins in that zone.
func Types(_ context.Context, c *pgx.Conn) error {
	for _, t := range []pgtype.Type{
		{Name: "uuid", OID: pgtype.UUIDOID, Codec: uuids{}},
		{Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC}},
	} {
		list, _ := c.TypeMap().TypeForName("_" + t.Name)
		c.TypeMap().RegisterType(&t)
		c.TypeMap().RegisterType(&pgtype.Type{Name: list.Name, OID: list.OID, Codec: &pgtype.ArrayCodec{ElementType: &t}})
	}
	return nil
}

// uuids are pgx's, and uuid.UUID in the binary format.
type uuids struct{ pgtype.UUIDCodec }

func (c uuids) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.(uuid.UUID); ok && format == pgtype.BinaryFormatCode {
		return sixteen{}
	}
	return c.UUIDCodec.PlanEncode(m, oid, format, value)
}

func (c uuids) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if _, ok := target.(*uuid.UUID); ok && format == pgtype.BinaryFormatCode {
		return sixteen{}
	}
	return c.UUIDCodec.PlanScan(m, oid, format, target)
}

// sixteen copies a uuid.
type sixteen struct{}

func (sixteen) Encode(value any, to []byte) ([]byte, error) {
	id := value.(uuid.UUID)
	return append(to, id[:]...), nil
}

func (sixteen) Scan(from []byte, to any) error {
	id := to.(*uuid.UUID)
	switch len(from) {
	case len(id):
		copy(id[:], from)
	case 0: // NULL, as uuid.UUID's own Scan takes it
	default:
		return fmt.Errorf("a uuid of %d bytes", len(from))
	}
	return nil
}
