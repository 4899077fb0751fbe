package datafile

import (
	"math"
	"strings"

	"service/store/dashboard/cube"
)

// totals are words for the sum of all rows, in the languages of pages and in those of common programs.
var totals = wordSet(`
	total, totals, grand total, overall total, subtotal, sub total, sum, sum total, total sum,
	gesamt, gesamtsumme, gesamtergebnis, summe, summen, endsumme, zwischensumme, insgesamt,
	total général, total general, totaux, sous-total, sous total, somme,
	totales, suma, suma total, subtotales,
	totale, totali, totale generale, totale complessivo, somma, subtotale,
	total geral, totais, soma, soma total, subtotais,
	totaal, totalen, eindtotaal, algemeen totaal, subtotaal, som,
	合計, 総計, 総合計, 小計, 計, 合计, 总计, 总和, 小计, 共计, 總計, 總和,
	합계, 총계, 총합계, 총합, 소계,
	المجموع, الإجمالي, الاجمالي, إجمالي, مجموع, المجموع الكلي, الإجمالي الكلي, المجموع الفرعي,
	итого, всего, общий итог, итог, сумма, σ, ∑`)

// wholes are words for all rows together. Each can also be the name of one, so they count only where all numbers of the row are sums.
var wholes = wordSet(`
	all, overall, total all, alle, alles, zusammen, tous, toutes, ensemble, todos, todas, tutti, tutte, complessivo,
	allemaal, samen, 全体, 全部, すべて, 전체, 모두, الكل, все`)

func wordSet(list string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.SplitSeq(list, ",") {
		out[strings.TrimSpace(word)] = true
	}
	return out
}

// label returns the words of a cell in lower case, without the signs around them.
func label(c cell) string {
	if c.kind != plainText || len(c.text) > 60 {
		return ""
	}
	words := strings.NewReplacer("(", " ", ")", " ").Replace(strings.ToLower(c.text))
	return strings.Join(strings.Fields(strings.Trim(words, " :.*=")), " ")
}

// A total is a last row that may be the sum of the others.
type total struct {
	*offset
	// bare reports that the label of the row is empty, or a word that may be a name. Then all its numbers must be sums.
	bare bool
}

// takeTotal removes the last row if it has a word for totals in one of its first three columns and no other row has one, or if it alone has
// nothing in the first column. It returns nil if there is no such row.
func (g *grid) takeTotal() *total {
	last := len(g.rows) - 1
	if last < 2 {
		return nil
	}
	end := g.row(last)
	for i := range min(3, len(g.names)) {
		word := label(end.at(i))
		if !totals[word] && !wholes[word] {
			continue
		}
		for n, r := range g.all() {
			if word := label(r.at(i)); n < last && (totals[word] || wholes[word]) {
				return nil
			}
		}
		return g.take(wholes[word])
	}
	if end.at(0).kind != null {
		return nil
	}
	for n, r := range g.all() {
		if n < last && !wordy(r.at(0)) && r.at(0).kind != dateTime && classOf(r.at(0)) != cube.Timestamp {
			return nil
		}
	}
	return g.take(true)
}

// likeTotals returns the rows that have a word for totals in one of their first three columns, if these are at most half of all rows: the
// subtotals of a report, of which none is known to be the sum of which others.
func (g *grid) likeTotals() (out examples) {
	for _, r := range g.all() {
		for i := range min(3, len(g.names)) {
			if totals[label(r.at(i))] {
				out.add(r.line)
				break
			}
		}
	}
	if out.count*2 > len(g.rows) {
		return examples{}
	}
	return out
}

// take removes the last row.
func (g *grid) take(bare bool) *total {
	last := len(g.rows) - 1
	r := g.rows[last]
	g.rows = g.rows[:last]
	return &total{&r, bare}
}

// proves reports whether a total is, but for rounding, the sum of the rows in at least one column of numbers. If it is bare, it must be the
// sum in each column in which it has a value, of at least three rows or in at least two columns: the sum of two numbers can be chance.
func (g *grid) proves(t *total, types []*inferred) bool {
	sums, others := 0, 0
	for i, s := range types {
		c := g.view(*t.offset).at(i)
		if c.kind == null || label(c) != "" && (totals[label(c)] || wholes[label(c)]) {
			continue
		}
		want, ok := 0.0, false
		if s.kind == cube.Integer || s.kind == cube.Number {
			want, ok = cube.Float(s.value(c))
		}
		if !ok {
			others++
			continue
		}
		sum, size := 0.0, 0.0
		for _, r := range g.all() {
			v, _ := cube.Float(s.value(r.at(i)))
			sum += v
			size += math.Abs(v)
		}
		switch {
		case math.Abs(sum-want) > 1e-6*size:
			others++
		case want != 0:
			sums++
		}
	}
	if t.bare {
		return others == 0 && (sums > 1 || sums == 1 && len(g.rows) > 2)
	}
	return sums > 0
}
