package datafile

import (
	"bytes"
	"fmt"
	"testing"
)

// BenchmarkRead reads a CSV file of 5 MiB: dates, text, whole numbers and
// amounts.
func BenchmarkRead(b *testing.B) {
	var file bytes.Buffer
	file.WriteString("day,region,note,orders,revenue\n")
	for n := 0; file.Len() < 5<<20; n++ {
		fmt.Fprintf(&file, "2024-01-%02d,region %d,\"a, note\",%d,%d.25\n", 1+n%28, n%7, n, n%900)
	}
	b.SetBytes(int64(file.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readFirst(CSV, file.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
}
