package store_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"service/store"
	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// numberEngine reads any file as one row of numbers.
type numberEngine struct{ store.Engine }

func (numberEngine) Ingest(context.Context, warehouse.Tenant, warehouse.DataFile) (*warehouse.Ingested, error) {
	return &warehouse.Ingested{Rowset: warehouse.Rowset{
		Parquet: []byte("PAR1"), Rows: 1,
		Columns: []cube.Column{
			{Name: "a", Type: cube.Number},
			{Name: "b", Type: cube.Number},
			{Name: "c", Type: cube.Number},
			{Name: "d", Type: cube.Integer},
			{Name: "e", Type: cube.Number},
		},
		Preview: [][]any{{1234567.0, 2147483650.5, 1e-7, int64(12345678), cube.Decimal("12345678901234567.89")}},
	}}, nil
}

// TestPreviewOfNumbers shows numbers as a person writes them, without exponent.
func TestPreviewOfNumbers(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *store.Options) { o.Engine = numberEngine{} })
	added, err := b.Uploads.AddUpload(t.Context(), b.owner, "a.csv", []byte("n\n1\n"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.Uploads.Upload(t.Context(), b.owner, added.Upload.ID)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, cell := range d.Preview[0] {
		got = append(got, *cell)
	}
	want := []string{"1234567", "2147483650.5", "0.0000001", "12345678", "12345678901234567.89"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
