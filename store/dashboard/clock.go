package dashboard

import (
	"slices"
	"strings"
	"time"

	"service/store/sqltext"
)

// Words of SQL, of any dialect, whose value changes as time passes: some are used without brackets, others only as functions.
var (
	clockWords = []string{
		"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "sysdate", "systimestamp", "utc_date", "utc_time",
		"utc_timestamp",
	}
	clockFunctions = []string{
		"now", "now64", "nowinblock", "today", "yesterday", "curdate", "curtime", "current_datetime", "getdate", "getutcdate", "sysdatetime",
		"sysutcdatetime", "clock_timestamp", "statement_timestamp", "transaction_timestamp", "timeofday", "get_current_time",
		"get_current_timestamp",
	}
	clockStrings = []string{"now", "today", "tomorrow", "yesterday"} // as dates and times
)

// A Clocked is a dataset whose rows change as time passes although its source does not.
type Clocked struct {
	Dataset int    // its index
	Word    string // of its SQL, or the parameter in it, that changes them
}

// ByClock returns the datasets whose rows change as time passes.
func (s *Spec) ByClock() []Clocked {
	var out []Clocked
	for i := range s.Datasets {
		if word := s.clocked(s.Datasets[i].SQL); word != "" {
			out = append(out, Clocked{i, word})
		}
	}
	return out
}

// clocked returns the first word or parameter of SQL whose value changes as time passes, or "".
func (s *Spec) clocked(sql string) string {
	if word := clockWord(sql); word != "" {
		return word
	}
	for _, u := range placeholders(&Problems{}, "", sql, s.Params) {
		if dated := u.param.Type == ParamRange || u.param.Type == ParamDate; dated && isRelative(u.param.period()) {
			return "{{" + u.name + "}}"
		}
	}
	return ""
}

// isRelative reports whether a period is one of days before today.
func isRelative(period []string) bool {
	if len(period) != 1 || period[0] == "all" {
		return false
	}
	_, _, ok := DateRange(period[0], time.UTC, 0, time.Time{})
	return ok
}

// clockWord returns the first word of SQL whose value changes as time passes, as it is written, or "".
func clockWord(sql string) string {
	q := query{sqltext.Read(sql)}
	for i := range q.Tokens {
		called := q.Is(i+1, "(")
		switch {
		case q.isName(i):
		case q.Is(i, clockWords...):
			return q.Text(i)
		case called && (q.Is(i, clockFunctions...) || q.Is(i, "unix_timestamp") && q.Is(i+2, ")") || q.Is(i, "age") && q.oneArgument(i+1)):
			return q.Text(i) + "()"
		case q.Kind(i) == sqltext.String && slices.Contains(clockStrings, strings.ToLower(strings.TrimSpace(q.Value(i)))):
			if q.Is(i+1, "::", ":") || q.Is(i-1, "date", "timestamp", "timestamptz") || q.Is(i+1, "as") && q.Is(i-2, "cast", "try_cast") {
				return q.Text(i)
			}
		}
	}
	return ""
}

// oneArgument reports whether there is one argument between the bracket at i and the one that closes it.
func (q query) oneArgument(i int) bool {
	depth := 0
	for ; i < len(q.Tokens); i++ {
		switch {
		case q.Is(i, "(", "["):
			depth++
		case q.Is(i, ")", "]"):
			if depth--; depth == 0 {
				return true
			}
		case depth == 1 && q.Is(i, ","):
			return false
		}
	}
	return false
}
