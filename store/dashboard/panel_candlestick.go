package dashboard

import (
	"fmt"
	"slices"
)

// Candlestick is the type of panel that draws how prices move, or ranges over time.
const Candlestick = "candlestick"

var candlestickPanel = panelType{
	name:   Candlestick,
	also:   []string{"candle", "candles", "candlesticks", "ohlc", "ohlcchart", "stock", "range", "rangebar", "floatingbar", "highlow"},
	doc:    "open, high, low and close of periods, or ranges",
	either: [2][]panelKey{{keyX, keyOpen, keyHigh, keyLow, keyClose}, {keyX, keyLow, keyHigh}},
	optional: []panelKey{
		keyData, keyX, keyOpen, keyHigh.as("measure of the highest value"), keyLow, keyClose,
		keyBars.as("one measure drawn as bars below, such as volume"), keyLines.as("measures drawn over the candles, of their unit"),
		keyCompare.as(earlierCloses), keyTrend, keyAverage, keyGrain, keyPartial, keyFacet, keyFacetColumns, keyFacetScale,
		keyScale, keyYMin, keyYMax, keyReference, keyThresholds.as(closeTones),
		keyLabels.as("last close, or the upper end of the last range, written at it"), keyTooltip,
	},
	hints: map[string]string{
		"highlight": "candles have the colours of what rises and falls; thresholds colour some",
		"color":     "candles have the colours of what rises and falls; thresholds colour some",
		"y":         "its measures are open, high, low and close, or low and high",
		"value":     "its measures are open, high, low and close, or low and high",
		"series":    "its candles are of one thing; facet draws a small plot for each",
		"volume":    "it goes into bars",
		"sort":      "candles follow their times", "limit": "no time is left out; grain makes fewer candles, a filter shows the newest",
		"start": "it is open", "end": "it is close", "first": "it is open", "last": "it is close",
	},
	width:  chartWidth,
	verify: verifyCandlestick,
	check:  checkCandlestick,
	title: func(p *Panel, label labeler) string {
		if p.Close != "" {
			return label.by(label.of(p.Close), p.X, p.Facet)
		}
		return label.by(label.of(p.Low, p.High), p.X, p.Facet)
	},
}

const (
	// earlierCloses describes the comparison of candles.
	earlierCloses = "previous_year, or previous_period of a date filter, whose closes, or upper ends of ranges, are a gray line"

	closeTones = "tones of the closes, or of the upper ends of ranges; if several conditions hold, the one with the closest number applies"
)

var (
	keyOpen  = nameKey("open", "measure of the first value", func(p *Panel) *string { return &p.Open }).tersely()
	keyClose = nameKey("close", "measure of the last value", func(p *Panel) *string { return &p.Close }).tersely()

	candleKeys = []panelKey{keyOpen, keyHigh, keyLow, keyClose}
)

// Candle returns the measures of a candlestick: open, high, low and close. Ranges have only high and low.
func (p *Panel) Candle() [4]string { return [...]string{p.Open, p.High, p.Low, p.Close} }

// verifyCandlestick checks that a candle has its four numbers, or a range its two.
func verifyCandlestick(o *object, p *Panel) {
	verifyAxes(o, p, false)
	verifyTones(o, p, "candles")
	verifyCompare(o, p)
	o.require("x", "low", "high")
	if o.has("open") || o.has("close") {
		o.require("open", "close")
	} else {
		for i, r := range p.Reference {
			if r.Kind == "average" || r.Kind == "median" {
				o.problems.addf(join(index(o.at("reference"), i), "kind"), "ranges do not tell the %s of the values in them; write the number as "+
					"value of the line", r.Kind)
			}
		}
	}
	if len(p.Bars) > 1 {
		o.problems.addf(o.at("bars"), "has %d measures, and there is room for one below the candles; draw the others in a panel of their own",
			len(p.Bars))
	}
	names := p.Candle()
	for i, name := range p.Lines {
		if slices.Contains(p.Lines[:i], name) || slices.Contains(names[:], name) {
			o.problems.addf(pathOf(o.at("lines"), p.Lines, i), "%s is there twice; each is another measure", quote(name))
		}
	}
	for i, name := range names {
		if name != "" && slices.Contains(names[:i], name) {
			o.problems.addf(o.at(candleKeys[i].name), "%s is there twice; each is another measure", quote(name))
		}
	}
}

func checkCandlestick(c *panelCheck) {
	p := c.panel
	c.groups(c.at("x"), p.X)
	c.times(p.X)
	if col := find(c.set.columns, p.X); col != nil && !isTime(col.Type) {
		c.problems.add(Problem{
			Path: c.at("x"), Message: fmt.Sprintf("%s is of type %s, and candles stand along times", quote(p.X), col.Type),
			Noun: "dates", Allowed: c.set.names(isDate),
		})
	}
	c.earlier()
	c.fixedThresholds(p.Compared()[0], "the column of the closes, or of the upper ends of ranges",
		"a candle can be of several rows, each with its own %s")
	names := p.Candle()
	paths := c.paths(candleKeys)
	for i := range p.Lines {
		paths = append(paths, pathOf(c.at("lines"), p.Lines, i))
	}
	c.oneUnit(paths, slices.Concat(names[:], p.Lines), "a candle")
	for i, name := range p.Bars {
		c.measure(pathOf(c.at("bars"), p.Bars, i), c.set, name)
	}
	c.oneRow(c.at("x"), "a candle")
}
