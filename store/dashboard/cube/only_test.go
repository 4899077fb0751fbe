package cube

import (
	"bytes"
	"testing"
)

// A cube of some rows is the cube that these rows alone would make, byte for byte: it has no value, exactness or count of the others.
func TestOnlyLeavesNoTrace(t *testing.T) {
	t.Parallel()
	columns := []Column{{"region", Text}, {"n", Integer}, {"x", Number}, {"yes", Boolean}, {"day", Date}}
	cubeOf := func(rows ...[]any) *Cube {
		b := NewBuilder(columns)
		for _, r := range rows {
			if err := b.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		return b.Cube()
	}
	day := Day(20_000).Time()
	mine := [][]any{{"EMEA", int64(1), 1.5, true, day}, {"EMEA", nil, 2.25, nil, nil}}
	others := [][]any{
		{"APAC", Decimal("123456789012345678901234567890"), 0.1234567, false, day},
		{nil, int64(7), Lost, nil, Lost},
		{"EMEA ", int64(3), nil, nil, nil},
	}
	all := cubeOf(others[0], mine[0], others[1], mine[1], others[2])
	got := all.Only(all.Select(Filter{Column: "region", Values: []string{"EMEA"}}))
	if want := cubeOf(mine...); !bytes.Equal(got.Encode(), want.Encode()) || got.Lost(2) != 0 || got.Size() != want.Size() {
		t.Errorf("%d rows, %d bytes; want %d rows, %d bytes", got.Rows(), got.Size(), want.Rows(), want.Size())
	}
	if none := all.Only(all.Select(Filter{Column: "region"})); none.Rows() != 0 || len(none.Texts("region")) != 0 {
		t.Error("no value lets rows pass")
	}
	if all.Only(all.Select()).Rows() != 5 {
		t.Error("all rows are not all rows")
	}
}
