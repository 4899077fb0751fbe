package rest

import (
	"strings"
	"time"

	"service/store/sqltext"
	"service/store/warehouse"
)

// Zoned replaces each call of current_timezone() in SQL by the name of a time zone. It is for engines that always run in UTC, because their
// API has no sessions. The zone must be in the time zone database of this program. Lines stay the same.
func Zoned(sql string, d sqltext.Dialect, zone string) (string, error) {
	if _, err := time.LoadLocation(zone); err != nil || strings.ContainsAny(zone, `'\`) {
		return "", warehouse.SayZone(zone)
	}
	q, err := sqltext.Parse(sql, d)
	if err != nil {
		return "", warehouse.RefuseSQL(err)
	}
	var b strings.Builder
	from := 0
	for i, t := range q.Tokens {
		if q.Is(i, "current_timezone") && !q.Is(i-1, ".") && q.Is(i+1, "(") && q.Is(i+2, ")") {
			b.WriteString(sql[from:t.From] + "'" + zone + "'")
			from = q.Tokens[i+2].To
		}
	}
	return b.String() + sql[from:], nil
}
