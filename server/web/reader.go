package web

import (
	"fmt"
	"html/template"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// A reader formats the times and numbers of a page for the person who reads it: times
// in the account's zone, numbers in the style of the browser's first language, with
// Latin digits.
type reader struct {
	now     time.Time
	zone    *time.Location
	numbers *message.Printer
}

func (a *App) readerOf(v *visit) reader {
	r := reader{now: a.Now(), zone: time.UTC}
	if v.signedIn {
		r.zone = zoneOf(v)
	}
	tag := language.English
	if wanted, _, err := language.ParseAcceptLanguage(v.r.Header.Get("Accept-Language")); err == nil && len(wanted) > 0 {
		if latin, err := wanted[0].SetTypeForKey("nu", "latn"); err == nil {
			tag = latin
		}
	}
	r.numbers = message.NewPrinter(tag)
	return r
}

// zoneOf is the time zone of the person.
func zoneOf(v *visit) *time.Location {
	zone, err := time.LoadLocation(v.session.Account.Timezone)
	if err != nil {
		return time.UTC // valid when it was set, but zones can be removed from the database
	}
	return zone
}

// Zone is the name of the reader's time zone.
func (r reader) Zone() string { return r.zone.String() }

// exact is a time to the second, with its zone.
const exact = "2 Jan 2006, 15:04:05 MST"

// element is a <time> element that shows text, with the exact time in the reader's
// zone as its title.
func (r reader) element(t time.Time, text string) template.HTML {
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`,
		t.UTC().Format(time.RFC3339), t.In(r.zone).Format(exact), template.HTMLEscapeString(text)))
}

// Ago says how long before or after now t is.
func (r reader) Ago(t time.Time) template.HTML { return r.element(t, r.distance(t)) }

// At is a date with the time of day.
func (r reader) At(t time.Time) template.HTML {
	return r.element(t, t.In(r.zone).Format("2 Jan 2006, 15:04"))
}

// In is a weekday and a date with the time of day and its zone, in another zone than
// the reader's.
func (r reader) In(zone *time.Location, t time.Time) template.HTML {
	return r.element(t, t.In(zone).Format("Mon 2 Jan 2006, 15:04 MST"))
}

// UTC is [reader.In] the zone UTC.
func (r reader) UTC(t time.Time) template.HTML { return r.In(time.UTC, t) }

func (r reader) distance(t time.Time) string {
	d := r.now.Sub(t)
	form := "%s ago"
	if d < 0 {
		d, form = -d, "in %s"
	}
	switch {
	case d < time.Minute && form == "%s ago":
		return "just now"
	case d < time.Minute:
		return "in a moment"
	case d < time.Hour:
		return fmt.Sprintf(form, fmt.Sprintf("%d min", d/time.Minute))
	case d < 48*time.Hour:
		return fmt.Sprintf(form, fmt.Sprintf("%d h", d/time.Hour))
	case d < 60*24*time.Hour:
		return fmt.Sprintf(form, fmt.Sprintf("%d days", d/(24*time.Hour)))
	}
	return t.In(r.zone).Format("2 Jan 2006")
}

// Number is n with separators between thousands.
func (r reader) Number(n int) string { return r.numbers.Sprint(number.Decimal(n)) }

// Count is n and a noun, such as "2 dashboards".
func (r reader) Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return r.Number(n) + " " + thing + "s"
}

// Bytes is n bytes in a readable unit, such as "1.5 MiB".
func (r reader) Bytes(n int) string {
	switch {
	case n < 1<<10:
		return r.Count(n, "byte")
	case n < 1<<20:
		return r.tenths(float64(n)/(1<<10)) + " KiB"
	}
	return r.tenths(float64(n)/(1<<20)) + " MiB"
}

// Took is a duration, such as "3.2 s".
func (r reader) Took(d time.Duration) string {
	switch {
	case d < time.Second:
		return r.Number(int(d.Milliseconds())) + " ms"
	case d < time.Minute:
		return r.tenths(d.Seconds()) + " s"
	}
	return r.Number(int(d.Minutes())) + " min " + r.Number(int(d.Seconds())%60) + " s"
}

func (r reader) tenths(x float64) string {
	return r.numbers.Sprint(number.Decimal(x, number.MinFractionDigits(1), number.MaxFractionDigits(1)))
}
