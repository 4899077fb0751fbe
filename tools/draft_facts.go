package tools

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/pattern"
	"service/store/warehouse"
)

// A columnUse is the use of a column in a draft.
type columnUse int

const (
	useNone     columnUse = iota // all of its values are the same, or missing
	useTime                      // an axis of times, and a filter
	useMeasure                   // it is added up or averaged
	useCategory                  // bars, series and filters
	usePlace                     // a category of countries
	useName                      // nearly every row has another: a table shows it
	useText                      // sentences: only a table shows them
	useID                        // identifies rows, and is not shown
	useLat
	useLon
	useMonth // a column of a wide table, named by its period
)

// A fact is a column with facts about its values, over all rows that were read.
type fact struct {
	dashboard.Column
	sql      string // as SQL writes it
	use      columnUse
	rows     int // with a value
	distinct int
	most     int   // the number of rows of the most frequent value
	values   []any // the distinct values in order, if they are few
	whole    bool  // numbers: all are whole
	min, max float64
	first    time.Time
	last     time.Time
	chars    float64 // of texts, on average
	words    float64
	agg      dashboard.Agg // of a measure
	unnamed  bool          // the name of the measure does not decide on agg
	share    bool          // each value is 0 or 1, so that the average is the share of rows with 1
	label    string        // without a unit
	unit     string        // the unit at the end of its name, for readers
	format   string
}

// fewValues is the largest number of distinct values that are kept.
const fewValues = 60

// These match names of columns, in the languages in which files are common.
var (
	namesID = pattern.New(`(?i)(^|[_ .-])(id|ids|uuid|guid|key|no|nr|num|number|nummer|code|ref|reference|zip|plz|` +
		`postcode|phone|telefon|` +
		`account|konto|ip|hash|token|isbn|ean|sku)\.?($|[_ .-])|(nr|nummer|number)$|(?-i:[a-z](Id|ID)$)|` +
		`(user|customer|client|order|product|item|session|device|invoice|employee|student|person|member|kunden|artikel)id$`)
	namesClass = pattern.New(`(?i)(^|[_ .-])(status|code|class|type|level|grade|kind|year|jahr|month|monat|quarter|week|` +
		`woche|weekday|day|` +
		`hour|stunde|version|zone|account|konto|sex|gender|triage|severity|priority|tier|stage|` +
		`floor|cohort|round|step|replicate|replica|trial)($|[_ .-])`)
	namesScore = pattern.New(`(?i)(^|[_ .-])(stars?|rating|score|sterne|note|grade|nps|satisfaction)($|[_ .-])`)
	namesBytes = pattern.New(`(?i)(^|[_ .-])bytes($|[_ .-])`)
	namesYear  = pattern.New(`(?i)(^|[_ .-])(year|jahr|année|annee|año|anno|ano|jaar)($|[_ .-])`)
	namesLat   = pattern.New(`(?i)^(lat|latitude|breitengrad)$`)
	namesLon   = pattern.New(`(?i)^(lon|lng|long|longitude|längengrad)$`)
	namesMoney = pattern.New(`(?i)(^|[_ .-])(revenue|sales|turnover|amount|total|net|gross|cost|costs|spend|fee|fees|` +
		`value|budget|actual|profit|` +
		`payment|income|tax|coste|costes|costo|costos|custo|custos|coût|coûts|gasto|gastos|despesa|despesas|dépense|dépenses)($|[_ .-])|` +
		`(umsatz|betrag|erlös|erloes|kosten|gebühr|gebuehr|summe|montant|importe|ventas|importo|bedrag|omzet|` +
		`ventes|ingresos|vendite|ricavi|` +
		`vendas|receita|المبلغ|المبيعات|الإيرادات|التكلفة|金額|金额|売上|売り上げ|销售额|收入|費用|费用|금액|매출|비용)`)
	namesSum = pattern.New(`(?i)(^|[_ .-])(menge|anzahl|stück|stueck|quantité|cantidad|quantità|aantal|kg|tons?|votes|` +
		`waste|downloads|kwh|km|` +
		`litres?|liters?|people|headcount|attendance|tickets|bookings|installs|signups|deals|leads|calls|quota|target|goal|impressions|` +
		`quantidade|aufrufe|besuche|bestellungen|verkäufe|absatz|الكمية|العدد|数量|個数|件数|合計|总数|수량|건수|합계|` +
		`made|produced|scrap|scrapped|defects|rejects|rejected|failed|failures|errors|passed|vaccinated|residents|inhabitants|visitors|` +
		`besucher|ausschuss|unités|visiteurs|passages|visites|commandes|unidades|visitas|visitantes|pedidos|客数|人数|点数|客流量|` +
		`opened|closed|returns|refunds|customers|users|members|subscribers|accounts|seats|employees)($|[_ .-])|` +
		`_?(mrr|arr)$`)
	namesTarget = pattern.New(`(?i)(^|[_ .-])(quota|target|goal|plan|planned|forecast|expected|soll|ziel|prognose|objectif|prévision|` +
		`objetivo|meta|previsto)($|[_ .-])|(目標|目标|予算|预算|목표|هدف)`)
	namesPeople = pattern.New(`(?i)(^|[_ .-])(customers|users|members|subscribers|accounts|seats|employees|staff|` +
		`patients|students)$`)
	namesTo    = pattern.New(`(?i)(time|seconds?|minutes?|hours?|days?)[_ .-](to|until|since|per|open|waited)($|[_ .-])`)
	namesStart = pattern.New(`(?i)(^|[_ .-])(start|starts|started|begin|begins|from|beginn|anfang|` +
		`debut|début|inicio|inizio)($|[_ .-])`)
	namesEnd   = pattern.New(`(?i)(^|[_ .-])(end|ends|ended|finish|finished|due|to|until|ende|fin|fine)($|[_ .-])`)
	namesState = pattern.New(`(?i)(^|[_ .-])(status|state|phase|stand)($|[_ .-])`)
	namesFrom  = pattern.New(`(?i)^(from|source|origin|before|old)[_ .-]|` +
		`[_ .-](from|source|origin|before|old)$|^(source|origin)$`)
	namesInto = pattern.New(`(?i)^(to|target|destination|after|new)[_ .-]|` +
		`[_ .-](to|target|destination|after|new)$|^(target|destination)$`)
	namesEach = pattern.New(`(?i)(^|[_ .-])(price|pct|percent|prozent|ppm|temp|temperature|humidity|voltage|battery|` +
		`speed|duration|latency|` +
		`ms|min|sec|seconds|minutes|alter|age|stars|reply|response|wait|weight|height|size)($|[_ .()-])|(preis|temperatur|dauer)`)
)

// factsOf returns the facts of columns. units are the units with which the numbers of a file were written.
func factsOf(dialect string, columns []dashboard.Column, rows [][]any, units []warehouse.ColumnUnit) []fact {
	out := make([]fact, len(columns))
	for i, c := range columns {
		f := fact{Column: c, sql: quoteName(dialect, c.Name), whole: true, min: math.Inf(1), max: math.Inf(-1)}
		f.read(rows, i)
		if f.sql != "" {
			f.use = f.decide(len(rows))
		}
		f.name(units)
		out[i] = f
	}
	months := 0
	for _, f := range out {
		if f.holdsPeriod() {
			months++
		}
	}
	for i := range out {
		if f := &out[i]; months >= 3 && f.holdsPeriod() {
			f.use = useMonth
		}
	}
	return out
}

// read gathers the values of column i.
func (f *fact) read(rows [][]any, i int) {
	seen := map[any]int{}
	for _, row := range rows {
		v := key(row[i])
		if v == nil {
			continue
		}
		f.rows++
		seen[v]++
		switch v := v.(type) {
		case string:
			f.chars += float64(len([]rune(v)))
			f.words += float64(len(strings.Fields(v)))
		case time.Time:
			if f.first.IsZero() || v.Before(f.first) {
				f.first = v
			}
			if v.After(f.last) {
				f.last = v
			}
		default:
			if n, ok := cube.Float(v); ok {
				f.whole = f.whole && n == math.Trunc(n)
				f.min, f.max = math.Min(f.min, n), math.Max(f.max, n)
			}
		}
	}
	f.distinct = len(seen)
	for _, n := range seen {
		f.most = max(f.most, n)
	}
	f.chars, f.words = f.chars/float64(max(f.rows, 1)), f.words/float64(max(f.rows, 1))
	if f.distinct <= fewValues {
		for v := range seen {
			f.values = append(f.values, v)
		}
		slices.SortFunc(f.values, compare)
	}
}

// unitsInNames maps the units at the end of column names to their usual symbols.
var unitsInNames = map[string]string{
	"c": "°C", "degc": "°C", "f": "°F", "pct": "%", "percent": "%", "ppm": "ppm",
	"v": "V", "ms": "ms", "s": "s", "sec": "s", "min": "min", "h": "h",
	"kg": "kg", "g": "g", "t": "t", "km": "km", "m": "m", "mm": "mm", "kwh": "kWh", "kw": "kW", "hpa": "hPa", "m2": "m²", "m²": "m²", "l": "l",
}

// name sets the label, the unit and the format.
func (f *fact) name(units []warehouse.ColumnUnit) {
	f.label = f.Label
	if f.use != useMeasure {
		return
	}
	if f.share {
		f.format = "percent1"
		return
	}
	for _, u := range units {
		switch {
		case u.Column != f.Name:
		case u.Unit == "%":
			f.format, f.agg = "percent1", dashboard.Avg
		default:
			f.format = "currency2"
			if f.whole {
				f.format = "currency"
			}
			if f.agg == dashboard.Avg && !namesEach.MatchString(f.Name) && !ofEach.MatchString(f.Name) {
				f.agg = dashboard.Sum
			}
		}
	}
	if f.whole && f.format == "" && namesBytes.MatchString(f.Name) {
		f.format = "bytes"
	}
	i := strings.LastIndexAny(f.Name, "_ ([")
	if i < 3 || f.format != "" {
		return
	}
	if unit, ok := unitsInNames[strings.ToLower(strings.Trim(f.Name[i+1:], "()[] "))]; ok {
		f.unit, f.label = unit, dashboard.Label(strings.TrimRight(f.Name[:i], "_ (["))
	}
}

// decide returns the use of the column in a draft, among so many rows.
func (f *fact) decide(rows int) columnUse {
	many := f.rows > 20 && f.distinct*10 > f.rows*9 // nearly unique
	switch {
	case f.rows == 0, f.distinct == 1 && rows > 1:
		return useNone
	case f.Type.IsTime():
		return useTime
	case f.Type == cube.Boolean:
		return useCategory
	case isNumber(f.Type):
		return f.decideNumber(many)
	case f.isCountry():
		return usePlace
	case f.words > 4 || f.chars > 45:
		return useText
	case many && (namesID.MatchString(f.Name) || f.words < 1.3 && f.chars > 3):
		return useID
	case many, f.distinct > max(fewValues, f.rows/4), f.distinct > 5 && f.distinct == rows:
		return useName
	}
	return useCategory
}

func (f *fact) decideNumber(many bool) columnUse {
	switch {
	case namesLat.MatchString(f.Name) && f.min >= -90 && f.max <= 90:
		return useLat
	case namesLon.MatchString(f.Name) && f.min >= -180 && f.max <= 180:
		return useLon
	case f.whole && namesYear.MatchString(f.Name) && f.min >= 1800 && f.max <= 2200:
		return useCategory
	case f.whole && many && namesID.MatchString(f.Name):
		return useID
	case f.whole && f.distinct <= 30 && (namesClass.MatchString(f.Name) || namesID.MatchString(f.Name)):
		return useCategory
	case f.whole && namesID.MatchString(f.Name):
		return useID
	}
	f.agg, f.unnamed = f.aggregate()
	if f.share = f.whole && f.min == 0 && f.max == 1 && f.rows > 20; f.share {
		f.agg = dashboard.Avg
	}
	return useMeasure
}

// aggregate returns how a measure most likely aggregates: an average does not depend on the number of rows, so it is the default. unnamed
// reports that the name did not decide.
func (f *fact) aggregate() (agg dashboard.Agg, unnamed bool) {
	each := ofEach.MatchString(f.Name) || namesEach.MatchString(f.Name) || namesScore.MatchString(f.Name) || namesTo.MatchString(f.Name)
	switch {
	case dashboard.NamedLikeStock(f.Name):
		return dashboard.Last, false
	case each || notMerged.MatchString(f.Name):
		return dashboard.Avg, false
	case summed.MatchString(f.Name), namesMoney.MatchString(f.Name), namesSum.MatchString(f.Name):
		return dashboard.Sum, false
	}
	return dashboard.Avg, true
}

// numbersRows reports whether whole numbers most likely number things: hundreds of them without a gap, none of which is frequent.
func (f *fact) numbersRows() bool {
	dense := float64(f.distinct) > 0.95*(f.max-f.min+1)
	return f.whole && f.min >= 0 && f.distinct > 300 && dense && f.most <= max(20, 5*f.rows/f.distinct)
}

// isScore reports whether the column is an answer on a scale of whole numbers, such as 1 to 5.
func (f *fact) isScore() bool {
	return f.use == useMeasure && f.whole && f.min >= 0 && f.max <= 10 && f.distinct >= 3 && f.distinct <= 11
}

// isCountry reports whether nearly all values are countries.
func (f *fact) isCountry() bool {
	if f.distinct < 3 || len(f.values) == 0 {
		return false
	}
	found := 0
	for _, v := range f.values {
		if text, ok := v.(string); ok && dashboard.Gazetteer(false).Find(text) >= 0 {
			found++
		}
	}
	return found*10 >= f.distinct*9
}

// days returns the length of time that the column spans, in days.
func (f *fact) days() float64 { return f.last.Sub(f.first).Hours() / 24 }

// spacing returns the mean number of days between two neighbouring times of the column.
func (f *fact) spacing() float64 { return f.days() / math.Max(float64(f.distinct-1), 1) }

var (
	periodYear  = pattern.New(`^(19|20)\d\d$`)
	periodOther = pattern.New(`(?i)^(q[1-4]|(19|20)\d\d[-/](0?[1-9]|1[0-2])|(0?[1-9]|1[0-2])[-/](19|20)\d\d)([ _-]?(19|20)?\d\d)?$`)
	periodMonth = pattern.New(`(?i)^(jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|sept|oct|okt|nov|dec|dez|january|` +
		`february|march|april|june|` +
		`july|august|september|october|november|december|januar|februar|märz|juni|juli|oktober|dezember)\.?([ _-]?(19|20)?\d\d)?$`)
)

// holdsPeriod reports whether the column has the numbers of one period, or none yet.
func (f *fact) holdsPeriod() bool {
	return isPeriod(f.Name) && (f.use == useMeasure || f.use == useNone && (f.rows == 0 || isNumber(f.Type)))
}

// isPeriod reports whether name names a month, a quarter or a year, like the columns of budgets.
func isPeriod(name string) bool {
	name = strings.TrimSpace(name)
	return periodYear.MatchString(name) || periodOther.MatchString(name) || periodMonth.MatchString(name)
}

// titleOf returns a title from the name of a file, and the word for its rows, or "".
func titleOf(filename, sheet string) (title, noun string) {
	name := filename
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("_-. ", r) })
	words = slices.DeleteFunc(words, func(w string) bool {
		return slices.Contains([]string{"export", "extract", "data", "final", "csv", "dump"}, strings.ToLower(w))
	})
	for _, w := range words {
		if l := strings.ToLower(w); isPlural(l) && !namesMoney.MatchString(l) {
			noun = capital(l)
		}
	}
	title = capital(strings.Join(words, " "))
	if title == "" {
		title = "Overview"
	}
	if sheet != "" {
		title += ": " + sheet
	}
	return clip(title, 100), noun
}

// isPlural reports whether an English word in small letters is most likely a plural.
func isPlural(word string) bool {
	return len(word) > 4 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us")
}

// capital writes the first letter in upper case.
func capital(s string) string {
	if s == "" {
		return s
	}
	r := []rune(s)
	return strings.ToUpper(string(r[:1])) + string(r[1:])
}

// literals writes names as a list of SQL text literals.
func literals(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = "'" + strings.ReplaceAll(n, "'", "''") + "'"
	}
	return strings.Join(out, ", ")
}

// countColumn returns a name for a column that counts rows, which no other column has.
func countColumn(noun string, facts []fact) string {
	name := strings.ToLower(noun)
	if name == "" {
		name = "entries"
	}
	for i := 2; slices.ContainsFunc(facts, func(f fact) bool { return strings.EqualFold(f.Name, name) }); i++ {
		name = fmt.Sprintf("%s_%d", strings.TrimRight(name, "_0123456789"), i)
	}
	return name
}

func isNumber(t cube.Type) bool { return t == cube.Integer || t == cube.Number }

// related returns the two measures whose values correlate the most, if they do.
func (p *draftedPage) related(of []*fact) (a, b *fact) {
	best := 0.4
	for i, x := range of {
		for _, y := range of[i+1:] {
			if r := math.Abs(p.correlation(x, y)); r > best {
				best, a, b = r, x, y
			}
		}
	}
	return a, b
}

// correlation returns Pearson's coefficient of two columns, over rows with both.
func (p *draftedPage) correlation(x, y *fact) float64 {
	i, j := p.index(x), p.index(y)
	var n, sx, sy, sxx, syy, sxy float64
	for _, row := range p.raw {
		a, okA := cube.Float(row[i])
		b, okB := cube.Float(row[j])
		if okA && okB {
			n, sx, sy, sxx, syy, sxy = n+1, sx+a, sy+b, sxx+a*a, syy+b*b, sxy+a*b
		}
	}
	down := math.Sqrt(n*sxx-sx*sx) * math.Sqrt(n*syy-sy*sy)
	if n < 30 || down == 0 || down != down {
		return 0
	}
	return (n*sxy - sx*sy) / down
}
