package web

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"service/store/dashboard/locale"
)

// A reader formats the times and numbers of a page for the person who reads it: times in
// the account's zone, both in the format of the language.
type reader struct {
	*locale.Locale
	now  time.Time
	zone *time.Location
}

func (a *App) readerOf(v *visit) reader {
	r := reader{Locale: v.Locale, now: a.Now(), zone: time.UTC}
	if v.signedIn {
		r.zone = zoneOf(v)
	}
	return r
}

// Now returns the time of the page.
func (r reader) Now() time.Time { return r.now }

// zoneOf returns the time zone of the person.
func zoneOf(v *visit) *time.Location {
	zone, err := time.LoadLocation(v.session.Account.Timezone)
	if err != nil {
		return time.UTC // the zone was valid when it was set, but zones can be removed from the database
	}
	return zone
}

// Zone returns the name of the reader's time zone.
func (r reader) Zone() string { return r.zone.String() }

// day returns a date. In English the day is first and the month is a word, which is
// unambiguous in all countries.
func (r reader) day(t time.Time) string {
	if strings.HasPrefix(r.Lang, "en") {
		return t.Format("2 Jan 2006")
	}
	return r.Date(t)
}

// element returns a <time> element that shows text, with the exact time in the reader's
// zone as its title.
func (r reader) element(t time.Time, text string) template.HTML {
	here := t.In(r.zone)
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`, t.UTC().Format(time.RFC3339),
		template.HTMLEscapeString(r.day(here)+", "+r.ClockSeconds(here)+" "+here.Format("MST")), template.HTMLEscapeString(text)))
}

// Ago returns the distance of t from now.
func (r reader) Ago(t time.Time) template.HTML { return r.element(t, r.distance(t)) }

// On returns a date.
func (r reader) On(t time.Time) template.HTML { return r.element(t, r.day(t.In(r.zone))) }

// At returns a date with the time of day.
func (r reader) At(t time.Time) template.HTML {
	return r.element(t, r.moment(t))
}

// moment returns a date with the time of day, as plain text.
func (r reader) moment(t time.Time) string {
	here := t.In(r.zone)
	return r.day(here) + ", " + r.Clock(here)
}

// In returns a weekday and a date with the time of day and its zone, in another zone
// than the reader's.
func (r reader) In(zone *time.Location, t time.Time) template.HTML {
	there := t.In(zone)
	return r.element(t, r.Weekday(there.Weekday(), true)+" "+r.day(there)+", "+r.Clock(there)+" "+there.Format("MST"))
}

// Both returns [reader.In] for a zone, followed by the time in the reader's zone if that differs. The second time has
// no date if the date is the same.
func (r reader) Both(zone *time.Location, t time.Time) template.HTML {
	there, here := t.In(zone), t.In(r.zone)
	_, offset := there.Zone()
	switch _, own := here.Zone(); {
	case own == offset:
		return r.In(zone, t)
	case here.YearDay() == there.YearDay():
		return r.In(zone, t) + " · " + r.element(t, r.Clock(here)+" "+here.Format("MST"))
	}
	return r.In(zone, t) + " · " + r.In(r.zone, t)
}

func (r reader) distance(t time.Time) string {
	d := r.now.Sub(t)
	past := d >= 0
	if !past {
		d = -d
	}
	switch minutes, hours, days := int(d/time.Minute), int(d/time.Hour), int(d/(24*time.Hour)); {
	case d < time.Minute && past:
		return r.Text("just now")
	case d < time.Minute:
		return r.Text("in a moment")
	case d < time.Hour && past:
		return r.Count(minutes, "%d min ago", "%d min ago")
	case d < time.Hour:
		return r.Count(minutes, "in %d min", "in %d min")
	case d < 48*time.Hour && past:
		return r.Count(hours, "%d h ago", "%d h ago")
	case d < 48*time.Hour:
		return r.Count(hours, "in %d h", "in %d h")
	case d < 60*24*time.Hour && past:
		return r.Count(days, "%d day ago", "%d days ago")
	case d < 60*24*time.Hour:
		return r.Count(days, "in %d day", "in %d days")
	}
	return r.day(t.In(r.zone))
}

// Number returns n with separators between thousands.
func (r reader) Number(n int) string { return r.Locale.Number(float64(n), 0) }

// Bytes returns n bytes in a readable unit, such as "1.5 MiB".
func (r reader) Bytes(n int) string {
	switch {
	case n < 1<<10:
		return r.Count(n, "%d byte", "%d bytes")
	case n < 1<<20:
		return r.Text("%s KiB", r.tenths(float64(n)/(1<<10)))
	case n >= 1<<30:
		return r.Text("%s GiB", r.tenths(float64(n)/(1<<30)))
	}
	return r.Text("%s MiB", r.tenths(float64(n)/(1<<20)))
}

// Took returns a duration, such as "3.2 s".
func (r reader) Took(d time.Duration) string {
	switch {
	case d < time.Second:
		return r.Text("%s ms", r.Number(int(d.Milliseconds())))
	case d < time.Minute:
		return r.Text("%s s", r.tenths(d.Seconds()))
	}
	return r.Text("%s min %s s", r.Number(int(d.Minutes())), r.Number(int(d.Seconds())%60))
}

func (r reader) tenths(x float64) string { return r.Locale.Number(x, 1) }
