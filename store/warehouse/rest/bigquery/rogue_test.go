package bigquery_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"service/store/warehouse"
	"service/store/warehouse/rest/resttest"
)

const planned = `{"jobReference":{"location":"EU"},"statistics":{"query":{"statementType":"SELECT","totalBytesProcessed":"1",` +
	`"schema":{"fields":[{"name":"n","type":"INTEGER"}]}}},"status":{"state":"DONE"}}`

// TestRogueServer: a malicious answer of a server reaches no other host, costs little memory, and ends the call with an error of ours.
func TestRogueServer(t *testing.T) {
	fields := func(n int) string {
		return strings.Replace(planned, `{"name":"n","type":"INTEGER"}`, strings.Repeat(`{"name":"n","type":"INTEGER"},`, n)+`{"name":"n"}`, 1)
	}
	plan := func(text string) resttest.Attempt {
		return resttest.Try("plan", warehouse.Failed, resttest.Say(http.StatusOK, text))
	}
	results := func(text string) resttest.Attempt {
		return resttest.Try("results", warehouse.Failed, resttest.Say(http.StatusOK, text))
	}
	rows := func(rows string) resttest.Attempt { return results(`{"jobComplete":true,"rows":` + rows + `}`) }
	as := func(class warehouse.Class, try resttest.Attempt) resttest.Attempt { try.Class = class; return try }
	resttest.Hostile(t, start, []string{"plan", "insert", "results"}, map[string]resttest.Attempt{
		"an endless page": resttest.Try("results", warehouse.TooLarge,
			resttest.Endless(http.StatusOK, `{"jobComplete":true,"rows":[`, `{"f":[{"v":"1"}]},`)),
		"endless empty pages": resttest.Try("results", warehouse.Timeout, func(w http.ResponseWriter, _ string, n int32) {
			fmt.Fprintf(w, `{"jobComplete":true,"pageToken":"%d"}`, n)
		}),
		"a job that never ends":  as(warehouse.Timeout, results(`{"jobComplete":false}`)),
		"deep rows":              as(warehouse.Connect, rows(strings.Repeat(`[`, 7<<20)+strings.Repeat(`]`, 7<<20))),
		"no plan":                plan("{}"),
		"a plan of a list":       plan("[]"),
		"many columns":           plan(fields(400_000)),
		"a column without type":  plan(fields(1)),
		"deep columns":           plan(deep(1000)),
		"more cells":             rows(`[{"f":[{"v":"1"},{"v":"2"}]}]`),
		"a million cells":        rows(`[{"f":[` + strings.Repeat(`{},`, 1<<20) + `{}]}]`),
		"no cells":               rows(`[{}]`),
		"rows of numbers":        rows(`[1,2]`),
		"a cell of another type": rows(`[{"f":[{"v":"abc"}]}]`),
		"a number for a text":    rows(`[{"f":[{"v":1}]}]`),
		"a list for a text":      rows(`[{"f":[{"v":[{"v":"1"}]}]}]`),
		"other columns": results(
			`{"jobComplete":true,"schema":{"fields":[{"name":"n","type":"STRING"}]},"rows":[{"f":[{"v":"1"}]}]}`),
		"an error that quotes": resttest.Try("plan", warehouse.Failed, resttest.Say(http.StatusBadRequest,
			fmt.Sprintf(`{"error":{"message":%q,"errors":[{"reason":%q}]}}`, "Unrecognized name: s3cret token at [1:1]", "s3cret <b>"))),
	})
}

// deep is a plan with a struct in a struct, and so on.
func deep(levels int) string {
	schema := `{"name":"n","type":"INTEGER"}`
	for range levels {
		schema = `{"name":"n","type":"RECORD","fields":[` + schema + `]}`
	}
	return strings.Replace(planned, `{"name":"n","type":"INTEGER"}`, schema, 1)
}

// TestIntrospectEnds: the connector soon stops reading from a server that sends far more tables or columns than requested.
func TestIntrospectEnds(t *testing.T) {
	cell := func(text string) string {
		quoted, _ := json.Marshal(text)
		return `{"v":` + string(quoted) + `}`
	}
	resttest.EndlessCatalog(t, start, "results", func(_ *http.Request, _ int, rows []resttest.Row) []byte {
		var all []string
		for _, row := range rows {
			cells := []string{cell("shop"), cell(row.Table), cell("table"), cell(row.Column), cell("INT64"), cell("NO"), cell("")}
			all = append(all, `{"f":[`+strings.Join(cells, ",")+`]}`)
		}
		return []byte(`{"jobComplete":true,"pageToken":"more","rows":[` + strings.Join(all, ",") + `]}`)
	})
}
