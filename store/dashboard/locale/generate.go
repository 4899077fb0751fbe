//go:build ignore

// Generate writes cldr/*.json: for each locale of the list, the data of the Unicode Common Locale Data Repository that package locale
// needs. It reads the data from npm packages, so it needs npm and a network; no other part of the project does.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

const release = "48.2.0"

var locales = strings.Fields(`
	en en-AU en-CA en-GB en-IE en-IN en-NZ en-ZA
	de de-AT de-CH fr fr-BE fr-CA fr-CH es es-419 es-MX es-US pt pt-PT it it-CH nl nl-BE ja zh zh-Hant ko ar
	bg bn ca cs da el et fa fi gu he hi hr hu id is lt lv mr nb nn pl ro ru sk sl sr sv ta te tr uk vi`)

var currencies = strings.Fields(`
	AED ARS AUD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR JPY KRW MAD MXN MYR NGN NOK NZD
	PEN PHP PKR PLN RON RUB SAR SEK SGD THB TRY TWD UAH USD VND XAF XOF ZAR`)

func main() {
	dir, err := os.MkdirTemp("", "cldr")
	check(err)
	defer os.RemoveAll(dir)
	args := []string{"install", "--no-audit", "--no-fund", "--prefix", dir}
	for _, name := range []string{"dates", "numbers", "misc"} {
		args = append(args, "cldr-"+name+"-full@"+release)
	}
	cmd := exec.Command("npm", args...)
	cmd.Stderr = os.Stderr
	check(cmd.Run())
	old, err := filepath.Glob("cldr/*.json")
	check(err)
	for _, name := range old {
		check(os.Remove(name))
	}
	for _, tag := range locales {
		s := source{filepath.Join(dir, "node_modules"), tag}
		b, err := json.MarshalIndent(s.locale(), "", "\t")
		check(err)
		check(os.WriteFile("cldr/"+tag+".json", append(b, '\n'), 0o644))
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A source reads the files of one locale.
type source struct{ dir, tag string }

// get decodes a part of a file.
func (s source) get(v any, file string, path ...string) {
	b, err := os.ReadFile(filepath.Join(s.dir, strings.ReplaceAll(file, "*", s.tag)))
	check(err)
	for _, name := range append([]string{"main", s.tag}, path...) {
		var m map[string]json.RawMessage
		check(json.Unmarshal(b, &m))
		if b = m[name]; b == nil {
			log.Fatalf("%s: %s: no %s of %v", file, s.tag, name, path)
		}
	}
	d := json.NewDecoder(bytes.NewReader(b))
	check(d.Decode(v))
}

func (s source) text(file string, path ...string) (t string) {
	s.get(&t, file, path...)
	return t
}

const (
	dates   = "cldr-dates-full/main/*/ca-gregorian.json"
	numbers = "cldr-numbers-full/main/*/numbers.json"
	money   = "cldr-numbers-full/main/*/currencies.json"
	layout  = "cldr-misc-full/main/*/layout.json"
)

var gregorian = []string{"dates", "calendars", "gregorian"}

// names returns twelve months, or seven weekdays from Monday on.
func (s source) names(what, context, width string, keys ...string) []string {
	var m map[string]string
	s.get(&m, dates, append(gregorian, what, context, width)...)
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = m[k]
	}
	return out
}

func (s source) locale() any {
	var months []string
	for i := range 12 {
		months = append(months, strconv.Itoa(i+1))
	}
	weekdays := []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}
	quarters := []string{"1", "2", "3", "4"}
	skeleton := map[string]string{}
	s.get(&skeleton, dates, append(gregorian, "dateTimeFormats", "availableFormats")...)
	var symbols map[string]string
	s.get(&symbols, numbers, "numbers", "symbols-numberSystem-latn")
	var signs map[string]map[string]string
	s.get(&signs, money, "numbers", "currencies")
	sign := map[string]string{}
	for _, code := range currencies {
		if t := signs[code]["symbol"]; t != "" && t != code {
			sign[code] = t
		}
	}
	grouping, err := strconv.Atoi(s.text(numbers, "numbers", "minimumGroupingDigits"))
	check(err)
	return struct {
		Dir        string   `json:"dir"`
		Months     []string `json:"months"`
		MonthsAbbr []string `json:"months_abbr"`
		Alone      []string `json:"months_alone"`
		AloneAbbr  []string `json:"months_alone_abbr"`
		Weekdays   []string `json:"weekdays"`
		DaysAbbr   []string `json:"weekdays_abbr"`
		Quarters   []string `json:"quarters_abbr"`

		Date     string `json:"date"`
		DayMonth string `json:"day_month"`
		Month    string `json:"month"`
		Quarter  string `json:"quarter"`
		Year     string `json:"year"`
		Clock    string `json:"clock"`
		Seconds  string `json:"clock_seconds"`

		Decimal  string            `json:"decimal"`
		Group    string            `json:"group"`
		MinGroup int               `json:"min_grouping"`
		Number   string            `json:"number"`
		Percent  string            `json:"percent"`
		Currency string            `json:"currency"`
		Compact  []string          `json:"compact"` // thousands, millions, billions, trillions
		Signs    map[string]string `json:"currency_signs"`
	}{
		Dir:    map[string]string{"left-to-right": "ltr", "right-to-left": "rtl"}[s.text(layout, "layout", "orientation", "characterOrder")],
		Months: s.names("months", "format", "wide", months...), MonthsAbbr: s.names("months", "format", "abbreviated", months...),
		Alone: s.names("months", "stand-alone", "wide", months...), AloneAbbr: s.names("months", "stand-alone", "abbreviated", months...),
		Weekdays: s.names("days", "stand-alone", "wide", weekdays...), DaysAbbr: s.names("days", "stand-alone", "abbreviated", weekdays...),
		Quarters: s.names("quarters", "format", "abbreviated", quarters...),

		Date: skeleton["yMMMd"], DayMonth: skeleton["MMMd"], Month: skeleton["yMMM"], Quarter: skeleton["yQQQ"],
		Year: skeleton["y"], Clock: skeleton["Hm"], Seconds: skeleton["Hms"],

		Decimal: symbols["decimal"], Group: symbols["group"], MinGroup: grouping,
		Number:   s.text(numbers, "numbers", "decimalFormats-numberSystem-latn", "standard"),
		Percent:  s.text(numbers, "numbers", "percentFormats-numberSystem-latn", "standard"),
		Currency: s.text(numbers, "numbers", "currencyFormats-numberSystem-latn", "standard"),
		Compact:  s.compact(), Signs: sign,
	}
}

// compact returns the patterns of short numbers by power of ten, in the plural form "other".
func (s source) compact() []string {
	var m map[string]string
	s.get(&m, numbers, "numbers", "decimalFormats-numberSystem-latn", "short", "decimalFormat")
	var out []string
	for zeros := 3; zeros <= 15; zeros++ {
		p := m["1"+strings.Repeat("0", zeros)+"-count-other"]
		if p == "" && zeros <= 14 {
			log.Fatal(fmt.Sprintf("%s: no short form of 10^%d", s.tag, zeros))
		}
		if zeros <= 14 {
			out = append(out, p)
		}
	}
	return out
}
