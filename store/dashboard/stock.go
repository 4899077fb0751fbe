package dashboard

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"service/store/dashboard/cube"
)

// A stock is a measure whose values are levels at a time, such as a balance. It adds up over everything except time: in each period only
// the latest time counts, or the earliest. Its agg is [Last] or [First].

// isStock reports whether values add up only at one time.
func (a Agg) isStock() bool { return a == Last || a == First }

// IsQuantile reports whether a measure is a median or a percentile of all rows that are merged.
func (a Agg) IsQuantile() bool { return cube.Agg(a).IsQuantile() }

// IsStock reports whether the column's values add up only at one time of its along.
func (c Column) IsStock() bool { return c.Role == Measure && c.Agg.isStock() }

// sums reports whether values of the column, possibly only those of one time, add up to a whole over dimensions other than over.
func (c Column) sums(over ...string) bool {
	if c.IsRatio() || c.Agg != Sum && !c.IsStock() {
		return false
	}
	return !c.IsStock() || !slices.Contains(over, c.Along)
}

// stockWords occur in names of measures that are levels at a time, in lower case. Labels are in the language of their page.
var stockWords = wordSet(`
	mrr arr balance balances headcount headcounts stock stocks inventory inventories backlog backlogs open active followers population
	subscribers employees fte ftes receivables payables outstanding debt debts aum holdings
	bestand bestände lagerbestand auftragsbestand personalbestand kontostand saldo salden offen offene mitarbeiter mitarbeitende abonnenten
	einwohner solde encours effectif effectifs abonnés ouverts ouvertes habitants saldos inventario inventarios existencias empleados
	suscriptores seguidores abiertos abiertas población estoque estoques inventário funcionários assinantes seguidores abertos abertas
	população giacenza giacenze scorte dipendenti abbonati aperti aperte popolazione voorraad voorraden medewerkers abonnees openstaand
	openstaande inwoners`)

// stockSigns are such words of languages that are written without spaces, or with articles at the words.
var stockSigns = []string{"残高", "在庫", "従業員", "人口", "余额", "库存", "存货", "员工", "잔액", "재고", "직원", "인구", "رصيد", "مخزون", "موظف"}

// flowWords occur in names of measures that change a level, such as new_mrr. They add up over time.
var flowWords = wordSet(`
	new churned churn lost gained won added removed expansion contraction net change delta reopened hired joined left repaid
	neu neue neuer zugang zugänge abgang abgänge gewonnen verloren verlorene änderung veränderung nouveau nouveaux nouvelle nouvelles perdus
	variation nuevo nuevos nueva nuevas perdidos perdidas variación novo novos nova novas variação nuovo nuovi nuova nuove persi variazione
	nieuw nieuwe verandering`)

// flowSigns are such words of the languages of stockSigns.
var flowSigns = []string{"新", "増", "减", "減", "增", "변동", "신규", "جديد", "تغير"}

// wordSet returns the words of a text.
func wordSet(text string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		out[w] = true
	}
	return out
}

// NamedLikeStock reports whether a name, such as open_tickets, is typical of a level at a time. A change of a level, such as new_mrr, is
// not a level.
func NamedLikeStock(name string) bool {
	has := func(words map[string]bool, signs []string) bool {
		return slices.ContainsFunc(splitWords(name), func(w string) bool { return words[w] }) ||
			slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(name, sign) })
	}
	return has(stockWords, stockSigns) && !has(flowWords, flowSigns)
}

// HoldsTimes reports whether a dimension has times along which a stock can be: dates, timestamps, instants, or whole
// numbers that are named as years.
func HoldsTimes(name string, t cube.Type) bool {
	words := splitWords(name)
	return isTime(t) || t == cube.Integer && len(words) > 0 && (words[0] == "year" || words[len(words)-1] == "year")
}

// orders reports whether the spec may set a column as the along of a stock: a column of times, or any integers that are not identifiers,
// since they may be years.
func orders(c Column) bool {
	if c.Role != Dimension {
		return false
	}
	words := splitWords(c.Name)
	named := len(words) > 0 && slices.Contains([]string{"id", "key", "code", "zip", "postcode"}, words[len(words)-1])
	return isTime(c.Type) || c.Type == cube.Integer && !named
}

// times returns the columns of dates and years that distinguish rows.
func times(cols []Column, keys []string) []string {
	var out []string
	for _, c := range cols {
		if c.Role == Dimension && HoldsTimes(c.Name, c.Type) && slices.Contains(keys, c.Name) {
			out = append(out, c.Name)
		}
	}
	return out
}

// settleAlong sets the columns of the times of a dataset's stocks; "" if they cannot be determined.
func (d *Dataset) settleAlong(cols []Column, keys []string) {
	for i := range cols {
		if !cols[i].IsStock() {
			continue
		}
		if m := d.Meta(cols[i].Name); m != nil && m.Along != "" {
			if c := find(cols, m.Along); c != nil && orders(*c) {
				cols[i].Along = m.Along
			}
		} else if of := times(cols, keys); len(of) == 1 {
			cols[i].Along = of[0]
		}
	}
}

// stock checks the settings of a measure whose agg is last or first.
func (c *checker) stock(set *resolved, m *Meta) {
	path := set.at(m.Name) + ".along"
	of := times(set.columns, set.keys)
	if m.Along == "" {
		switch len(of) {
		case 0:
			c.problems.addf(set.at(m.Name)+".agg", `"%s" needs a time, and dataset %s returns none: return a date or a year beside it`,
				m.Agg, quote(set.ID))
		case 1:
			c.latest(set, m)
		default:
			c.problems.add(Problem{
				Path: path, Message: fmt.Sprintf(`is missing: "%s" is of one time, and the dataset returns several`, m.Agg),
				Noun: "times", Allowed: of,
			})
		}
		return
	}
	switch col := c.column(path, set, m.Along); {
	case col == nil:
	case !orders(*col):
		what := "of type " + string(col.Type)
		switch {
		case col.Role == Measure:
			what = "a measure"
		case col.Type == cube.Integer:
			what = "a number that names things"
		}
		c.problems.add(Problem{
			Path: path, Message: fmt.Sprintf("%s is %s, and this must be a date, a timestamp, an instant or a year", quote(m.Along), what),
			Noun: "times", Allowed: of,
		})
	default:
		c.latest(set, m)
	}
}

// latest warns of a latest time that has far fewer rows than others.
func (c *checker) latest(set *resolved, m *Meta) {
	col := find(set.columns, m.Name)
	if m.Agg != Last || set.rows == nil || set.rows.Rows() == 0 || col.Along == "" {
		return
	}
	dim := cube.Dim{Column: col.Along, Zone: c.spec.Location()}
	g := set.rows.Group(set.rows.Having(set.rows.Select(), m.Name), cube.Query{By: []cube.Dim{dim}})
	var counts []int
	last := 0
	for i := range g.Len() {
		if g.Category(i, 0).Value != nil {
			last = g.Rows(i)
			counts = append(counts, last)
		}
	}
	if len(counts) < 2 {
		return
	}
	slices.Sort(counts)
	n := len(counts)
	if median := float64(counts[(n-1)/2]+counts[n/2]) / 2; float64(last) < median/2 {
		c.warnf(WarnStock, set.at(m.Name), `the last time of "%s" has %d rows of %s, and others have about %g: its rows may still be loading, `+
			`or be changes only, and then the sum of the last time is too small; the sql can leave that time out, or return all rows of `+
			`each time.`, col.Along, last, quote(m.Name), median)
	}
}

// addedOver warns of a measure that is named like a stock if a panel adds it up over time: because its dimensions do not include the times,
// or, with coarser, because the times can be rounded down.
func (c *checker) addedOver(set *resolved, col *Column, grain []string, coarser bool) {
	if col != nil && col.IsRatio() {
		for _, part := range col.Ratio {
			c.addedOver(set, find(set.columns, part), grain, coarser)
		}
		return
	}
	if col == nil || col.Agg != Sum || c.warned[col] || !NamedLikeStock(col.Name) && !NamedLikeStock(col.Label) {
		return
	}
	if m := set.Meta(col.Name); m != nil && m.Agg != "" {
		return
	}
	of := times(set.columns, set.keys)
	kept := slices.ContainsFunc(of, func(name string) bool { return slices.Contains(grain, name) })
	if len(of) == 0 || kept && !coarser || set.rows != nil && (set.momentary(of[0]) || set.jumps(of[0], col.Name)) {
		return
	}
	c.warned[col] = true
	along := ""
	if len(of) > 1 {
		along = fmt.Sprintf(`, with "along", one of %s`, strings.Join(quoted(of), ", "))
	}
	c.warnf(WarnStock, set.at(col.Name), `%s is named like a level, and a panel adds it up over "%s": write "agg": "last"%s in %s to show `+
		`that of the latest time, or "agg": "sum" if it does add up over time.`, quote(col.Name), of[0], along, set.at(col.Name))
}

// leastJumps is the number of changes from which a measure can be seen to jump.
const leastJumps = 8

// jumps reports whether the sum of a measure mostly changes by more than half from one time to the next, as counts of events do: a level
// hardly changes.
func (r *resolved) jumps(times, measure string) bool {
	q := cube.Query{By: []cube.Dim{{Column: times}}, Measures: []cube.Measure{{Column: measure, Agg: cube.Agg(Sum)}}}
	g := r.rows.Group(r.rows.Having(r.rows.Select(), times), q)
	before, steps, far := 0.0, 0, 0
	for i := range g.Len() {
		v, _ := g.Value(i, 0)
		if i > 0 {
			if steps++; math.Abs(v-before) > math.Max(math.Abs(v), math.Abs(before))/2 {
				far++
			}
		}
		before = v
	}
	return steps >= leastJumps && far*2 > steps
}

// momentary reports whether the rows have at most one value of a column, so that nothing is added up over it.
func (r *resolved) momentary(column string) bool {
	return len(r.rows.Group(r.rows.Select(), cube.Query{By: []cube.Dim{{Column: column}}}).Axes[0]) < 2
}
