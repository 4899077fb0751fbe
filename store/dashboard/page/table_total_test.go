package page

import (
	"fmt"
	"math/rand/v2"

	"service/store/dashboard"
)

// A sale is a row by shop and day. sales returns a table by shop, and its rows as well, for figures that a test computes itself.
type sale struct {
	shop, day       string
	revenue, orders int64
	best            float64
}

func sales(shops, days int, change func(*dashboard.Panel)) (View, []sale) {
	r := rand.New(rand.NewPCG(5, 8))
	var out []sale
	var rows [][]any
	for s := range shops {
		for d := range days {
			at := day("2026-01-01").AddDate(0, 0, d)
			one := sale{fmt.Sprintf("Shop %02d", s), at.Format("2006-01-02"), r.Int64N(9000), 1 + r.Int64N(90), float64(r.IntN(4000)-1000) / 4}
			out = append(out, one)
			rows = append(rows, []any{at, one.shop, one.revenue, one.orders, one.best, one.best, one.best, int64(r.IntN(50))})
		}
	}
	p := dashboard.Panel{Type: dashboard.Table, Title: "Shops", TotalRow: true, Columns: []dashboard.TableColumn{
		{Column: "shop"},
		{Column: "revenue"},
		{Column: "orders", Bar: true},
		{Column: "each"},
		{Column: "least"},
		{Column: "most"},
		{Column: "mean"},
	}}
	if change != nil {
		change(&p)
	}
	v := tiny([]dashboard.Panel{p}, []string{
		"day date", "shop text", "revenue integer sum", "orders integer sum", "least number min number2", "most number max number2",
		"mean number avg number2", "stock integer none",
	}, rows...)
	v.Spec.Datasets[0].Columns = append(v.Spec.Datasets[0].Columns,
		dashboard.Meta{Name: "each", Ratio: [2]string{"revenue", "orders"}, Format: "number2"})
	return v, out
}
