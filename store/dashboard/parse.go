package dashboard

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/text/currency"
	"golang.org/x/text/language"

	"service/store/dashboard/cube"
	"service/store/message"
)

// Parse reads a spec and checks everything that does not depend on the columns of its datasets; [Spec.Check] checks the rest. The error is
// *[Problems].
//
// With an error it may also return a spec of the parts that could be read, which is only for Check. It is nil if raw is not a JSON object.
func Parse(raw []byte) (*Spec, error) {
	p := &parser{}
	s := p.spec(raw)
	return s, p.problems.err()
}

// ParseParams reads a list of parameters in the form of the spec's key params. The error is *[Problems].
func ParseParams(raw json.RawMessage) ([]Param, error) {
	p := &parser{}
	if problem := syntax(raw); problem != nil {
		problem.Path = "params"
		p.problems.add(*problem)
		return nil, p.problems.err()
	}
	o := &object{problems: &p.problems, values: map[string]json.RawMessage{}}
	if kindOf(raw) != "null" {
		o.values["params"] = raw
	}
	params := p.params(o)
	return params, p.problems.err()
}

// A parser reads one document.
type parser struct {
	problems Problems
	report   bool                       // the document is a report: rows in place of SQL
	declared []string                   // the ids of datasets, including faulty ones
	rows     map[string]json.RawMessage // of a report's datasets
}

// The keys of a document, in the order in which the reference lists them.
var (
	specKeys = []string{
		"version", "title", "description", "source", "connection", "upload", "sheet", "uploads", "timezone", "week_starts", "as_of", "currency",
		"locale", "layout", "contents", "params", "datasets", "columns", "filters", "events", "panels", "alerts", "deliver",
		"access",
	}
	reportKeys = []string{
		"version", "title", "description", "source", "timezone", "week_starts", "as_of", "currency", "locale", "layout", "contents",
		"datasets", "columns", "filters", "events", "panels",
	}
	paramKeys   = []string{"id", "type", "label", "default", "options"}
	datasetKeys = []string{"id", "sql", "from", "upload", "sheet", "columns", "row_limit", "shared", "description"}
	rowsetKeys  = []string{"id", "rows", "columns"} // a dataset of a report
	columnKeys  = []string{
		"label", "description", "role", "agg", "along", "ratio", "format", "decimals", "unit", "negative", "sign", "hidden",
		"good", "labels",
	}
	filterKeys = []string{"column", "label", "default", "data", "multiple", "grain", "locked"}
)

// The possible values of keys.
var (
	paramTypes = []string{ParamRange, ParamDate, ParamText, ParamNumber}
	roles      = []string{string(Dimension), string(Measure)}
	aggs       = []string{
		string(Sum), string(Min), string(Max), string(Avg), string(Median), string(P90), string(P95), string(P99), string(Last), string(First),
		string(None),
	}
	numberFormats = []string{
		"integer", "number", "number1", "number2", "compact", "compact2", "percent", "percent1", "percent2",
		"currency", "currency2", "currency_compact", "currency_compact2", "duration", "hours_minutes", "minutes_seconds", "bytes",
	}
	dateFormats = []string{"date", "datetime", "minute", "time", "week", "month", "quarter", "year"}
	formats     = slices.Concat(numberFormats, dateFormats)
	grains      = []string{
		"auto", string(cube.Minutely), string(cube.Hourly), string(cube.Daily), string(cube.Weekly), string(cube.Monthly),
		string(cube.Quarterly), string(cube.Yearly),
	}
	partials    = []string{"mark", "hide", "show"}
	shares      = []string{"none", "total", "first", "previous"}
	goods       = []string{"up", "down"}
	negatives   = []string{"minus", inBrackets}
	tones       = []string{"good", "warn", "bad", "info", "neutral"}
	comparisons = []string{">=", ">", "<=", "<", "="}
	layouts     = []string{"dashboard", "article"}
	weekStarts  = []string{"monday", "saturday", "sunday"}
	clicks      = []string{"filter", "none"}
	refKinds    = []string{"average", "median", "min", "max"}
)

// Other names that people and models use, by [plainName].
var (
	otherFormats = map[string]string{
		"int": "integer", "count": "integer", "decimal": "number2", "float": "number2", "money": "currency",
		"usd": "currency", "eur": "currency", "currency0": "currency", "short": "compact", "percentage": "percent",
		"percent0": "percent", "pct": "percent", "ratio": "percent", "seconds": "duration",
		"timestamp": "datetime", "day": "date", "clock": "time", "timeofday": "time", "hour": "time", "hhmm": "time",
		"dateminute": "minute", "datehourminute": "minute", "minutes": "hours_minutes", "hoursandminutes": "hours_minutes",
		"mmss": "minutes_seconds", "mss": "minutes_seconds", "hhmmss": "minutes_seconds", "hmmss": "minutes_seconds",
		"minsec": "minutes_seconds", "minutesandseconds": "minutes_seconds", "ms": "minutes_seconds", "pace": "minutes_seconds",
		"hm": "hours_minutes", "interval": "hours_minutes", "currencycompact1": "currency_compact2", "compact1": "compact2",
	}
	otherRoles = map[string]string{"metric": "measure", "value": "measure", "attribute": "dimension", "category": "dimension"}
	otherAggs  = map[string]string{
		"average": "avg", "mean": "avg", "p50": "median", "med": "median", "total": "sum", "count": "sum", "minimum": "min", "maximum": "max",
		"latest": "last", "lastvalue": "last", "lastnotnull": "last", "lastnonnull": "last", "semiadditive": "last", "nonadditive": "last",
		"snapshot": "last", "closing": "last", "current": "last", "newest": "last", "argmax": "last", "stock": "last", "level": "last",
		"firstvalue": "first", "firstnotnull": "first", "firstnonnull": "first", "earliest": "first", "opening": "first", "argmin": "first",
		"oldest": "first",
	}
	otherTones = map[string]string{
		"green": "good", "success": "good", "positive": "good", "red": "bad", "danger": "bad", "error": "bad", "negative": "bad",
		"yellow": "warn", "orange": "warn", "warning": "warn", "blue": "info", "gray": "neutral", "grey": "neutral", "default": "neutral",
	}
	otherGoods     = map[string]string{"higher": "up", "high": "up", "true": "up", "lower": "down", "low": "down", "false": "down"}
	otherNegatives = map[string]string{
		"parentheses": inBrackets, "parenthesis": inBrackets, "parens": inBrackets, "bracket": inBrackets, "accounting": inBrackets,
		"roundbrackets": inBrackets, "true": inBrackets, "sign": "minus", "false": "minus", "dash": "minus",
	}
	otherIfs = map[string]string{
		"gte": ">=", "gt": ">", "lte": "<=", "lt": "<", "eq": "=", "==": "=", "≥": ">=", "≤": "<=",
		"equals": "=", "equal": "=", "is": "=", "above": ">", "over": ">", "greater": ">", "greaterthan": ">", "morethan": ">", "after": ">",
		"below": "<", "under": "<", "less": "<", "lessthan": "<", "before": "<", "atleast": ">=", "from": ">=", "min": ">=",
		"atmost": "<=", "upto": "<=", "until": "<=", "max": "<=",
	}
	otherParamTypes = map[string]string{
		"daterange": "date_range", "range": "date_range", "string": "text", "int": "number", "integer": "number", "float": "number",
		"day": "date",
	}
	otherParamKeys = map[string]string{
		"name": "id", "value": "default", "kind": "type", "values": "options", "choices": "options", "enum": "options", "allowed": "options",
		"viewers": "options", "list": "options", "items": "options", "title": "label",
		"allowedvalues": "options", "datatype": "type", "defaultvalue": "default", "current": "default", "caption": "label", "prompt": "label",
	}
	otherLayouts    = map[string]string{"report": "article", "column": "article", "grid": "dashboard", "columns": "dashboard"}
	otherWeekStarts = map[string]string{"mon": "monday", "sat": "saturday", "sun": "sunday", "iso": "monday", "us": "sunday"}
	otherGrains     = map[string]string{
		"minutes": "minute", "hours": "hour", "hourly": "hour", "days": "day", "daily": "day", "date": "day",
		"d": "day", "1d": "day", "h": "hour", "1h": "hour", "w": "week", "1w": "week", "m": "month", "1m": "month",
		"1mo": "month", "mo": "month", "q": "quarter", "y": "year", "1y": "year", "1min": "minute",
		"yearmonth": "month", "yearquarter": "quarter",
		"yearweek": "week", "yearmonthdate": "day",
		"weeks": "week", "weekly": "week",
		"months": "month", "monthly": "month", "quarters": "quarter", "quarterly": "quarter", "years": "year", "yearly": "year",
		"none": "auto", "raw": "auto", "exact": "auto",
	}
	otherPartials = map[string]string{
		"dash": "mark", "dashed": "mark", "drop": "hide", "omit": "hide", "exclude": "hide", "true": "show", "false": "hide",
	}
	otherKinds = map[string]string{"mean": "average", "avg": "average", "minimum": "min", "maximum": "max"}

	otherSpecKeys = map[string]string{
		"name": "title", "queries": "datasets", "data": "datasets", "datasources": "datasets", "sources": "datasets", "charts": "panels",
		"widgets": "panels", "tiles": "panels", "controls": "filters", "parameters": "params", "variables": "params", "tz": "timezone",
		"datasource": "connection", "language": "locale", "subtitle": "description",
		"tab": "sheet", "worksheet": "sheet", "sheetname": "sheet", "sheets": "sheet",
		"credit": "source", "credits": "source", "attribution": "source", "datacredit": "source", "copyright": "source",
		"weekstart": "week_starts", "weekstartson": "week_starts", "firstdayofweek": "week_starts",
		"asof": "as_of", "asofdate": "as_of", "dataasof": "as_of", "datauntil": "as_of", "dataend": "as_of", "until": "as_of", "today": "as_of",
		"now": "as_of", "referencedate": "as_of", "reportdate": "as_of", "snapshotdate": "as_of", "cutoff": "as_of",
		"slicers": "filters", "dropdowns": "filters", "inputs": "filters", "quickfilters": "filters", "globalfilters": "filters",
		"templating": "params", "templatevariables": "params",
		"cards": "panels", "dashcards": "panels", "elements": "panels", "visualizations": "panels", "views": "panels", "items": "panels",
		"components": "panels", "figures": "panels", "graphs": "panels", "visuals": "panels", "blocks": "panels", "layers": "panels",
		"hconcat": "panels", "vconcat": "panels", "concat": "panels", "plots": "panels", "rows": "panels|datasets",
		"database": "connection", "db": "connection", "warehouse": "connection", "connectionid": "connection", "sourceid": "connection",
		"schemaversion": "version", "lang": "locale", "currencycode": "currency", "timezonename": "timezone",
		"toc": "contents", "tableofcontents": "contents",
		"annotations": "events", "markers": "events", "marks": "events",
		"alert": "alerts", "alarms": "alerts", "monitors": "alerts", "notifications": "alerts", "rules": "alerts",
		"delivery": "deliver", "deliveries": "deliver", "subscriptions": "deliver", "subscribe": "deliver",
		"send": "deliver", "reports": "deliver",
		"rls": "access", "rowlevelsecurity": "access", "security": "access", "rowrules": "access", "permissions": "access", "policies": "access",
	}
	specHints = map[string]string{
		"schedule": "the schedule is not part of a spec; set_refresh_schedule sets it",
		"refresh":  "the schedule is not part of a spec; set_refresh_schedule sets it",
		"theme":    themeHint,
		"wall":     wallHint, "kiosk": wallHint, "tv": wallHint, "fullscreen": wallHint, "screen": wallHint, "rotate": wallHint,
		"slideshow": wallHint,
		"playlist":  wallHint,
		"labels":    labelsHint, "names": labelsHint, "valuelabels": labelsHint,
		"tags":      "tags are an argument of publish_dashboard, not part of the spec",
		"slug":      "the slug is an argument of publish_dashboard, not part of the spec",
		"workspace": "the workspace is an argument of publish_dashboard, not part of the spec",
		"vega_lite": "it is a reserved name that version 1 refuses",
		"caption":   captionHint, "footnote": captionHint, "note": captionHint, "notes": captionHint, "footer": captionHint,

		"connections": "the SQL of a spec runs on one connection; " + oneSource,
	}
	reportHints = map[string]string{
		"connection": "a report brings its own rows and reads no connection",
		"upload":     "a report brings its own rows and reads no upload",
		"sheet":      "a report brings its own rows and reads no upload",
		"uploads":    "a report brings its own rows and reads no upload",
		"params":     "a report runs no SQL, so it has no parameters",
		"sql":        "a report has rows in place of sql; to run SQL, publish a spec",
		"row_limit":  "a report has its own rows",
		"alerts":     "a report is not refreshed, and alerts are judged at refreshes",
		"deliver":    "a report is not refreshed, and pages are sent after refreshes",
		"access":     "a report is read whole by all members; a spec can have rules",
	}
	otherDatasetKeys = map[string]string{
		"name": "id", "key": "id", "query": "sql", "statement": "sql", "limit": "row_limit", "fields": "columns",
		"data": "rows", "table": "sql", "view": "sql", "model": "sql", "rawsql": "sql", "sqlquery": "sql", "querytext": "sql",
		"command": "sql", "expr": "sql", "maxrows": "row_limit", "top": "row_limit", "rowcount": "row_limit", "values": "rows",
		"file": "upload", "fileid": "upload", "uploadid": "upload", "csv": "upload", "uid": "id",
		"tab": "sheet", "worksheet": "sheet", "sheetname": "sheet", "sheets": "sheet", "alias": "id", "refid": "id",
		"offer": "shared", "offered": "shared", "share": "shared", "published": "shared",
	}
	datasetHints = map[string]string{
		"of": fromHint, "source": fromHint, "ref": fromHint, "tables": fromHint, "join": fromHint, "refs": fromHint, "sources": fromHint,
		"dataset": fromHint, "datasets": fromHint, "inputs": fromHint, "extends": fromHint, "base": fromHint,

		"rows":       "in a spec the rows come from sql; rows belong to a report, published as body",
		"measures":   "measures and dimensions are told apart by themselves; say more of a column under columns",
		"dimensions": "measures and dimensions are told apart by themselves; say more of a column under columns",
		"connection": "all SQL of a spec runs on its one connection, named at the top; " + oneSource,
		"uploads":    "uploads belongs at the top of a spec, for all its datasets; a dataset of its own file has upload",
	}
	otherColumnKeys = map[string]string{
		"title": "label", "name": "label", "type": "role", "aggregation": "agg", "aggregate": "agg", "fmt": "format",
		"datatype": "role", "columntype": "role", "semantictype": "role", "displayname": "label", "header": "label", "caption": "label",
		"numberformat": "format", "valueformat": "format", "pattern": "format", "d3format": "format", "valueformatter": "format",
		"help": "description", "comment": "description", "desc": "description", "direction": "good", "polarity": "good",
		"higherisbetter": "good", "lowerisbetter": "good", "inverse": "good", "trenddirection": "good", "numerator": "ratio",
		"denominator": "ratio", "divideby": "ratio", "quotient": "ratio", "aggfunc": "agg", "rollup": "agg", "reducer": "agg",
		"aggregatefunction": "agg", "semiadditive": "agg", "windowchoice": "agg", "order": "along", "orderby": "along",
		"timedimension": "along", "time": "along",
		"nonadditivedimension": "along", "nonadditiveby": "along", "date": "along",
		"suffix": "unit", "units": "unit", "postfix": "unit", "uom": "unit", "unitofmeasure": "unit", "measureunit": "unit",
		"precision": "decimals", "digits": "decimals", "decimalplaces": "decimals", "fractiondigits": "decimals", "round": "decimals",
		"rounding": "decimals", "negatives": "negative", "negativeformat": "negative", "negativenumbers": "negative", "parentheses": "negative",
		"brackets": "negative", "accounting": "negative",
		"showsign": "sign", "signed": "sign", "plus": "sign", "plussign": "sign", "showplus": "sign", "signdisplay": "sign",
		"names": "labels", "valuelabels": "labels", "valuenames": "labels", "displaynames": "labels", "aliases": "labels", "mapping": "labels",
		"valuemap": "labels", "valuemapping": "labels", "valuemappings": "labels", "mappings": "labels", "map": "labels", "rename": "labels",
		"dictionary": "labels", "lookup": "labels", "translations": "labels", "values": "labels",
		"hide": "hidden", "invisible": "hidden", "internal": "hidden", "helper": "hidden", "exclude": "hidden",
	}
	columnHints = map[string]string{
		"visible": `write "hidden": true for a column that no panel shows`,
		"show":    `write "hidden": true for a column that no panel shows`,
		"prefix":  prefixHint, "group": "a head over neighbouring columns is group of a table's columns",
		"tooltip": "tooltip is a key of a panel",
	}
	otherFilterKeys = map[string]string{
		"field": "column", "dimension": "column", "name": "column", "title": "label", "value": "default",
		"defaults": "default", "defaultvalue": "default", "preset": "default", "current": "default", "columnname": "column",
		"fieldname": "column", "caption": "label", "targets": "data", "appliesto": "data", "multiplevalues": "multiple",
		"dataset": "data", "datasets": "data", "selected": "default", "initial": "default",
		"granularity": "grain", "step": "grain", "interval": "grain", "period": "grain", "periods": "grain", "timegrain": "grain",
	}
	filterHints = map[string]string{
		"multi": multipleHint, "multiselect": multipleHint, "multi_select": multipleHint, "allow_multiple": multipleHint,
		"allow_multiple_values": multipleHint, "allowMultiple": multipleHint, "isMulti": multipleHint,
		"single": multipleHint, "single_select": multipleHint, "singleSelect": multipleHint, "single_value": multipleHint, "choice": multipleHint,
		"required": multipleHint, "radio": multipleHint, "select": multipleHint, "include_all": multipleHint, "includeAll": multipleHint,
		"enforce_single": multipleHint, "mode": multipleHint, "widget": multipleHint, "control": multipleHint,
		"disabled": lockedHint, "readonly": lockedHint, "read_only": lockedHint, "readOnly": lockedHint, "hidden": lockedHint, "hide": lockedHint,
		"fixed": lockedHint, "lock": lockedHint, "editable": lockedHint, "visible": lockedHint, "enabled": lockedHint, "static": lockedHint,
		"id":      "a filter is known by its column",
		"type":    "a filter's kind follows from its column: a range for dates, a choice of the stored values for the rest",
		"options": "the options are the values that the stored rows have",
		"data":    "a filter acts on every dataset that has the column",
	}
)

// spec reads a whole document.
func (p *parser) spec(raw []byte) *Spec {
	if problem := syntax(raw); problem != nil {
		p.problems.add(*problem)
		return nil
	}
	if kindOf(raw) != "an object" {
		p.problems.addf("", "the document must be a JSON object, not %s", kindOf(raw))
		return nil
	}
	o := p.problems.object("", raw)
	if o == nil {
		return nil
	}
	if p.report {
		o.closed("a report", reportKeys, otherSpecKeys, merge(specHints, reportHints))
	} else {
		o.closed("a spec", specKeys, otherSpecKeys, specHints)
	}
	if v, ok := o.number("version"); ok && v != 1 {
		p.problems.addf("version", "must be 1")
	}
	s := &Spec{Version: 1, Title: o.text("title", maxName), Description: o.text("description", 0)}
	s.Source = readSource(o, "connection names a connection")
	if !p.report {
		p.source(o, s)
	}
	p.place(o, s)
	if !p.report {
		s.Params = p.params(o)
	}
	p.datasets(o, s)
	p.checkRuns(s)
	p.appearances(o, s)
	s.shareNames()
	p.filters(o, s)
	s.Events = p.events(o, s)
	p.panels(o, s)
	if !p.report {
		p.alerts(o, s)
		p.deliveries(o, s)
		p.access(o, s)
	}
	return s
}

// source reads the source of the data.
func (p *parser) source(o *object, s *Spec) {
	if raw, ok := o.values["connection"]; ok {
		switch c, ok := p.problems.text("connection", raw, 0); {
		case kindOf(raw) != "a string":
			p.problems[len(p.problems)-1].Message = message.ConnectionNotString().Error()
		case ok && c != "self" && !isUUID(c):
			p.problems.addf("connection", "%s", message.ConnectionShape(short(c)))
		default:
			s.Connection = c
		}
	}
	s.Upload, s.Sheet = p.uploadID(o, "upload"), p.sheet(o)
	s.Uploads = p.uploads(o)
}

// oneSource is the remedy for a join of two sources.
const oneSource = `to join two sources, publish a dashboard of each and read their datasets: ` +
	`"from": ["mrr", "support/tickets"] with sql over the tables mrr and tickets`

// fromHint is the explanation of other names for from.
const fromHint = `the rows of other datasets are read by "from": "slug/dataset" without sql, or ["mrr", "support/tickets"] with sql over ` +
	"tables of these ids"

// isUUID reports whether s is a UUID in the form of 36 characters.
func isUUID(s string) bool { return len(s) == 36 && uuid.Validate(s) == nil }

// place reads time zone, layout, the first day of weeks, currency and locale.
func (p *parser) place(o *object, s *Spec) {
	s.Timezone, s.Currency, s.Locale = "UTC", "USD", "en-US"
	if tz := o.text("timezone", maxName); tz != "" {
		if _, ok := Zone(tz); !ok {
			p.problems.addf("timezone", `%s is not an IANA time zone; write one such as "Europe/Berlin" or "UTC"`, quote(tz))
		} else {
			s.Timezone = tz
		}
	}
	s.Layout = cmp.Or(o.enum("layout", layouts, otherLayouts), layouts[0])
	if o.has("contents") {
		s.Contents = new(o.boolean("contents"))
	}
	s.WeekStarts = cmp.Or(o.enum("week_starts", weekStarts, otherWeekStarts), weekStarts[0])
	if s.AsOf = o.text("as_of", maxName); s.AsOf != "" {
		if _, err := time.Parse(time.DateOnly, s.AsOf); err != nil {
			p.problems.addf("as_of", `%s is not a day; write the last one of the data, as "2026-01-31"`, quote(s.AsOf))
			s.AsOf = ""
		}
	}
	if c := o.text("currency", maxName); c != "" {
		if u, err := currency.ParseISO(c); err != nil || u.String() != c {
			signs := map[string]string{"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
			near := signs[c]
			if err == nil {
				near = u.String()
			}
			p.problems.add(Problem{
				Path: "currency", Message: quote(c) + ` is not an ISO 4217 currency code; write one such as "EUR"`,
				Nearest: near,
			})
		} else {
			s.Currency = c
		}
	}
	if l := o.text("locale", maxName); l != "" {
		if tag, err := language.Parse(l); err != nil {
			p.problems.addf("locale", `%s is not a BCP 47 locale; write one such as "en-US" or "de-DE"`, quote(l))
		} else {
			s.Locale = tag.String()
		}
	}
}

func (p *parser) params(o *object) []Param {
	var out []Param
	for i, raw := range o.list("params", MaxParams) {
		o := p.problems.object(index("params", i), raw)
		if o == nil {
			continue
		}
		o.closed("a parameter", paramKeys, otherParamKeys, nil)
		o.require("id", "type", "default")
		param := Param{ID: p.id(o), Type: p.paramType(o), Label: o.text("label", maxName)}
		if slices.ContainsFunc(out, func(q Param) bool { return q.ID == param.ID && q.ID != "" }) {
			p.problems.addf(o.at("id"), "%s is the id of two parameters", quote(param.ID))
		}
		if param.Type != "" && o.has("default") {
			param.Default = p.paramDefault(o, param.Type)
			p.readOptions(o, &param)
		}
		out = append(out, param)
	}
	return out
}

// paramType reads the type of a parameter. A choice, as other programs call it, is a type with options.
func (p *parser) paramType(o *object) string {
	switch text, _ := strings.CutPrefix(string(o.values["type"]), `"`); strings.TrimSuffix(text, `"`) {
	case "choice", "select", "dropdown", "enum", "list", "radio", "options":
		p.problems.add(Problem{
			Path: o.at("type"), Allowed: paramTypes,
			Message: string(o.values["type"]) + ` is not a type: "options": [15, 30] lets viewers choose a value of any type, ` +
				"which says what SQL receives",
		})
		return ""
	}
	return o.enum("type", paramTypes, otherParamTypes)
}

// id reads the id of a parameter or dataset.
func (p *parser) id(o *object) string {
	id := o.name("id")
	if id != "" && !isID(id) {
		p.problems.addf(o.at("id"), "%s is not an id: a letter, then letters, digits, _ or -, at most 64 in all", quote(id))
	}
	return id
}

// paramDefault returns the default of a parameter in its one form.
func (p *parser) paramDefault(o *object, kind string) json.RawMessage {
	var v any
	switch kind {
	case ParamText:
		v = o.text("default", 0)
	case ParamNumber:
		raw := strings.TrimSpace(string(o.values["default"]))
		if unquoted, err := strconv.Unquote(raw); err == nil {
			raw = strings.TrimSpace(unquoted)
		}
		if !isJSONNumber(raw) {
			p.problems.addf(o.at("default"), "must be a number")
			return nil
		}
		return json.RawMessage(raw)
	case ParamDate:
		s := o.text("default", 0)
		if _, err := time.Parse(time.DateOnly, s); err != nil && s != "today" {
			p.problems.addf(o.at("default"), `must be a date such as "2026-01-31", or "today"`)
			return nil
		}
		v = s
	default:
		values, ok := p.period(o)
		if !ok {
			return nil
		}
		if v = values; len(values) == 1 {
			v = values[0]
		}
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}

func isJSONNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && kindOf(json.RawMessage(s)) == "a number" && json.Valid([]byte(s))
}

// period reads the default of a date range.
func (p *parser) period(o *object) ([]string, bool) {
	values := o.texts("default", 2, true)
	if len(values) == 1 {
		if from, to, ok := strings.Cut(values[0], "/"); ok {
			values = []string{from, to}
		}
	}
	if _, _, ok := Period(values, time.UTC, 0, time.Time{}); !ok || len(values) == 0 {
		p.problems.add(rangeProblem(o.at("default"), values))
		return nil, false
	}
	return values, true
}

// rangeProblem returns the problem of values that are not a date range.
func rangeProblem(path string, values []string) Problem {
	got, near := quote(strings.Join(values, "/")), ""
	if len(values) == 1 {
		near = known(values[0], map[string]string{
			"last7d": "last_7_days", "last30d": "last_30_days", "last90d": "last_90_days", "week": "last_7_days", "month": "last_30_days",
			"lastyear": "last_year", "last365d": "last_365_days", "ytd": "this_year",
			"mtd": "this_month", "alltime": "all",
		}, rangeNames)
	}
	return Problem{
		Path: path, Message: got + ` is not a date range; write the name of one, ` + rangeForm +
			`, or two dates such as ["2026-01-01", "2026-03-31"]`,
		Noun: "names", Allowed: rangeNames, Nearest: near,
	}
}

func (p *parser) filters(o *object, s *Spec) {
	for i, raw := range o.list("filters", MaxFilters) {
		o := p.problems.object(index("filters", i), raw)
		if o == nil {
			s.Filters = append(s.Filters, Filter{})
			continue
		}
		o.closed("a filter", filterKeys, otherFilterKeys, filterHints)
		o.require("column")
		f := Filter{Column: o.name("column"), Label: o.text("label", maxName), Default: o.texts("default", MaxValues, false)}
		f.choosing(o)
		if f.Column != "" && slices.ContainsFunc(s.Filters, func(g Filter) bool { return g.Column == f.Column }) {
			p.problems.addf(o.at("column"), "%s has a filter already", quote(f.Column))
		}
		f.Data = p.filtered(o)
		s.Filters = append(s.Filters, f)
	}
}

// filtered reads the datasets that a filter narrows.
func (p *parser) filtered(o *object) []string {
	out := o.texts("data", MaxDatasets, true)
	for i, id := range out {
		if !slices.Contains(p.declared, id) {
			p.problems.add(Problem{
				Path: index(o.at("data"), i), Message: quote(id) + " is not the id of a dataset", Noun: "datasets",
				Allowed: p.declared, Nearest: likeliest(id, p.declared),
			})
		}
	}
	return out
}

// merge returns a with the entries of b, which take precedence.
func merge(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}
