package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"service/store"
	"service/store/channel"
	"service/store/dashboard"
)

// days returns SQL for rows of n consecutive days from 2020 on; names, for rows of n
// names.
func days(n int) string {
	return fmt.Sprintf("SELECT DATE '2020-01-01' + CAST(i AS INTEGER) AS day, count(*) AS n FROM range(%d) t(i) GROUP BY 1", n)
}

func names(n int) string {
	return fmt.Sprintf("SELECT chr(CAST(97 + i AS INTEGER)) || 'x' AS name, sum(100 - i) AS n FROM range(%d) t(i) GROUP BY 1", n)
}

// A dry run reaches every code of a warning; a warning from the page is also a check of
// verify_dashboard and a note on the panel.
func TestWarningCodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	type set = map[string]any
	spec := func(data string, more ...any) json.RawMessage {
		panel := more[0]
		d := set{"id": "d", "sql": data}
		out := set{"datasets": []any{d}, "panels": []any{json.RawMessage(panel.(string))}}
		for i := 1; i < len(more); i += 2 {
			switch key := more[i].(string); key {
			case "row_limit", "meta":
				d[strings.Replace(key, "meta", "columns", 1)] = more[i+1]
			default:
				out[key] = more[i+1]
			}
		}
		b, err := json.Marshal(out)
		w.must(err)
		return b
	}
	const table = `{"type":"table"}`
	year := []any{set{"id": "p", "type": "date_range", "default": "last_365_days"}}
	ranged := days(5) + " HAVING day < {{p.end}} AND day >= {{p.start}}"
	slow := w.warehouse("ada@acme", "slow", "slow.example")
	late := w.warehouse("ada@acme", "late", "late.example")
	metered := w.warehouse("ada@acme", "metered", "metered.example")
	orders := w.warehouse("ada@acme", "orders", "db.example")
	w.member("eve@acme", store.RoleViewer)
	w.call("publish_dashboard", object("path", "there", "spec", spec(names(3), table, "title", "First")))
	w.call("publish_dashboard", object("path", "fed", "spec", spec("SELECT DATE '2026-01-01' AS day, 5 AS n", table, "currency", "EUR", "meta",
		set{"n": set{"format": "currency", "role": "measure"}})))
	w.call("publish_dashboard", object("path", "feeding", "spec", json.RawMessage(`{"datasets":[{"id":"f","from":"fed/d"}]}`)))
	w.refresh()
	unreached := map[string]bool{}
	for _, code := range dashboard.WarningCodes {
		unreached[code] = true
	}
	for code, c := range map[string]struct {
		spec json.RawMessage
		path string
		on   any    // the connection
		note string // of the panel
	}{
		dashboard.WarnRangeEnd: {
			spec: spec(strings.Replace(ranged, "< {{", "<= {{", 1), table, "params", year),
		},
		dashboard.WarnNoDimension: {spec: spec("SELECT i * 1.5 AS n FROM range(3) t(i)", table)},
		dashboard.WarnFilterSkips: {spec: json.RawMessage(`{"datasets":[{"id":"a","sql":"SELECT 'x' AS k, count(*) AS n GROUP BY 1"},
			{"id":"b","sql":"SELECT 'x' AS l, count(*) AS n GROUP BY 1"}],"filters":[{"column":"k"}]}`)},
		dashboard.WarnDefaultUnknown: {spec: spec(names(3), table, "filters", []any{set{"column": "name", "default": "zz"}})},
		dashboard.WarnOrderSkips: {spec: json.RawMessage(`{"datasets":[{"id":"a","sql":"SELECT 'x' AS k, 1 AS no, count(*) AS n GROUP BY 1"},
			{"id":"b","sql":"SELECT 'x' AS k, count(*) AS n GROUP BY 1"}],"columns":{"k":{"order":"no"}}}`)},
		dashboard.WarnColorsUnused: {spec: spec(names(3), table, "columns", set{"name": set{"colors": set{"ax": "red"}}})},
		dashboard.WarnColorsNear:   {spec: spec(names(3), table, "columns", set{"n": set{"color": "navy"}})},
		dashboard.WarnWidth:        {spec: spec(names(3), `{"type":"bar","x":"name","y":"n","width":5}`)},
		dashboard.WarnDatasetUnused: {spec: json.RawMessage(`{"datasets":[{"id":"a","sql":"SELECT 'x' AS k, count(*) AS n GROUP BY 1"}],
			"panels":[{"type":"text","markdown":"M"}]}`)},
		dashboard.WarnCurrency: {spec: json.RawMessage(`{"datasets":[{"id":"a","from":"fed/d"}]}`)},
		dashboard.WarnZone:     {spec: json.RawMessage(`{"timezone":"Asia/Tokyo","datasets":[{"id":"a","from":"fed/d"}]}`)},
		dashboard.WarnReaders:  {spec: spec("SELECT DATE '2026-01-01' AS day, 'x' AS n", table), path: "fed"},
		dashboard.WarnAccess: {
			spec: spec(names(3), table, "access", []any{set{"column": "name", "is": "member.zone"}}),
		},
		dashboard.WarnParamUnused:    {spec: spec(names(3), table, "params", year)},
		dashboard.WarnRowLimit:       {spec: spec(names(3), table, "row_limit", 2)},
		dashboard.WarnCost:           {spec: spec("SELECT day, count(*) AS n FROM orders GROUP BY 1", table), on: metered},
		dashboard.WarnRowsNotCounted: {spec: spec("SELECT day, count(*) AS n FROM orders GROUP BY 1", table), on: late},
		dashboard.WarnQueryFails: {
			spec: spec("SELECT count(CAST('x' || i AS integer)) AS n, i AS id FROM range(4) t(i) GROUP BY 2", table),
		},
		dashboard.WarnNoRows:           {},
		dashboard.WarnSQLNotChecked:    {spec: spec("SELECT day, count(*) AS n FROM orders GROUP BY 1", table), on: slow},
		dashboard.WarnConnectionChange: {spec: spec("SELECT day, count(*) AS n FROM orders GROUP BY 1", table), on: orders, path: "there"},
		dashboard.WarnNameKept:         {spec: spec(names(3), table, "title", "Second"), path: "there"},
		dashboard.WarnPlainLink:        {spec: spec(names(3), `{"type":"text","markdown":"[x](ftp://x.example)"}`)},
		dashboard.WarnPageNotDrawn: {
			spec: spec("SELECT repeat('x', 150) || i AS k, count(*) AS n FROM range(60000) t(i) GROUP BY 1", `{"type":"kpi","value":"n"}`,
				"row_limit", 60000, "datasets", []any{
					set{"id": "d", "row_limit": 60000, "sql": "SELECT repeat('x', 150) || i AS k, count(*) AS n FROM range(60000) t(i) GROUP BY 1"},
					set{"id": "e", "row_limit": 60000, "sql": "SELECT repeat('y', 150) || i AS k, count(*) AS n FROM range(60000) t(i) GROUP BY 1"},
				}, "panels", []any{set{"type": "kpi", "data": "d", "value": "n"}, set{"type": "kpi", "data": "e", "value": "n"}}),
		},

		dashboard.WarnRolledUp: {spec: spec(days(500), `{"type":"line","x":"day","y":"n"}`), note: "By week."},
		dashboard.WarnStock: {
			spec: spec("SELECT DATE '2020-01-01' + CAST(i AS INTEGER) AS day, count(*) AS open_tickets FROM range(9) t(i) GROUP BY 1",
				`{"type":"kpi","value":"open_tickets"}`),
		},
		dashboard.WarnGrainIgnored: {
			spec: spec(days(50), `{"type":"line","x":"day","y":"n","grain":"month"}`, "meta", set{"n": set{"agg": "none"}}), note: "Not by month",
		},
		dashboard.WarnIncomplete: {
			spec: spec(days(4000), `{"type":"kpi","value":"n","compare":"previous_period"}`, "filters",
				[]any{set{"column": "day", "default": "last_30_days"}}),
			note: "Compared without",
		},
		dashboard.WarnCut:    {spec: spec(names(26), `{"type":"bar","x":"name","y":"n"}`), note: "The 12 largest of 26"},
		dashboard.WarnMerged: {spec: spec(names(26), `{"type":"pie","label":"name","value":"n"}`), note: "The 6 largest of 26"},
		dashboard.WarnRanges: {
			spec: spec("SELECT i AS hour, count(*) AS n FROM range(200) t(i) GROUP BY 1", `{"type":"bar","x":"hour","y":"n"}`),
			note: "are merged into",
		},
		dashboard.WarnLeftOut: {
			spec: spec("SELECT CASE WHEN i > 2 THEN DATE '2020-01-01' + CAST(i AS INTEGER) END AS day, count(*) AS n FROM range(9) t(i) GROUP BY 1",
				`{"type":"line","x":"day","y":"n"}`), note: "Rows without day are left out.",
		},
		dashboard.WarnNotOnMap: {
			spec: spec(names(26), `{"type":"map","area":"name","value":"n"}`), note: "values of name are not on the map: bx, dx,",
		},
		dashboard.WarnLostValues: {
			spec: spec("SELECT i AS id, sum(CASE WHEN i = 1 THEN 'NaN'::DOUBLE ELSE 2 END) AS n FROM range(4) t(i) GROUP BY 1",
				`{"type":"kpi","value":"n"}`), note: "1 value of N missing: not a number, or infinite.",
		},
		dashboard.WarnKeyIgnored: {
			spec: spec("SELECT DATE '2020-01-01' + CAST(i AS INTEGER) AS day, sum(i - 4) AS a, sum(4 - i) AS b FROM range(9) t(i) GROUP BY 1",
				`{"type":"area","x":"day","y":["a","b"],"stack":true}`), note: "Not stacked",
		},
		dashboard.WarnColorsShared: {
			spec: spec(names(14), `{"type":"line","x":"name","y":"n","series":"name"}`, "filters",
				[]any{set{"column": "name", "default": []string{"ax", "bx", "cx", "kx", "lx", "mx", "nx"}}}),
			note: "more values than there are colours",
		},
		dashboard.WarnDeadLink: {
			spec: spec(names(3), `{"type":"bar","x":"name","y":"n","link":"nowhere?name={{name}}"}`),
		},
		dashboard.WarnDoubtful: {
			spec: spec("SELECT chr(97 + CAST(i AS INTEGER)) || 'x' AS name, sum(i) AS n FROM range(4) t(i) GROUP BY 1 ORDER BY 1",
				`{"type":"funnel","label":"name","value":"n"}`), note: "Larger than the step before: bx, cx, dx.",
		},
		dashboard.WarnClipped: {
			spec: spec("SELECT DATE '2020-01-01' + CAST(i AS INTEGER) AS day, sum(i) AS n FROM range(9) t(i) GROUP BY 1",
				`{"type":"line","x":"day","y":"n","y_max":5}`), note: "Values outside the axis: 3.",
		},
		dashboard.WarnOneAxis: {
			spec: spec("SELECT chr(97 + CAST(i AS INTEGER)) || 'x' AS name, sum(i * 1000000) AS n, sum(1) AS fee FROM range(4) t(i) GROUP BY 1",
				`{"type":"combo","x":"name","bars":["n"],"lines":["fee"]}`), note: "too small to be read on the axis",
		},
		dashboard.WarnAlertAlways: {
			spec: spec("SELECT DATE '2026-01-01' + CAST(i AS INTEGER) AS day, sum(i) AS n FROM range(60) t(i) GROUP BY 1", table,
				"alerts", []any{set{"id": "a", "value": "n", "x": "day", "if": ">=", "than": 0}}),
		},
		dashboard.WarnAlertBlind: {
			spec: spec(names(3), table, "alerts", []any{set{"id": "a", "value": "n", "if": ">", "than": 1000}}),
		},
		dashboard.WarnAlertNever: {
			spec: spec("SELECT DATE '2026-01-01' + CAST(i AS INTEGER) AS day, sum(i) AS n FROM range(60) t(i) GROUP BY 1", table,
				"alerts", []any{set{"id": "a", "value": "n", "x": "day", "change": set{"against": "previous_year", "by": -0.2}}}),
		},
	} {
		t.Run(code, func(t *testing.T) {
			path := c.path
			if path == "" {
				path = strings.ReplaceAll(code, "_", "-")
			}
			args := []any{"path", path, "spec", c.spec}
			if c.spec == nil {
				args = []any{"path", path, "body", `{"datasets":[{"id":"a","columns":["x"],"rows":[]}]}`}
			}
			if c.on != nil {
				args = append(args, "connection", c.on)
			}
			r := w.call("publish_dashboard", object(append(args, "dry_run", true)...))
			if !strings.Contains(r.Text, `"[`+code+`] `) {
				t.Fatalf("the dry run does not warn: %.1500s%s", r.Text, r.Internal)
			}
			if c.note == "" {
				return
			}
			w.call("publish_dashboard", object(args...))
			w.refresh()
			r = w.call("verify_dashboard", object("slug", path))
			if !strings.Contains(r.Text, `{"id":"`+code+`","status":"warning"`) || !strings.Contains(r.Text, c.note) {
				t.Errorf("verify_dashboard has no check, or the panel no note %q: %.2500s", c.note, r.Text)
			}
		})
		delete(unreached, code)
	}
	if _, err := w.pool.Exec(t.Context(), `DELETE FROM rate_counter`); err != nil { // publishes of this test are many
		t.Fatal(err)
	}
	w.deliveryWaits(spec(names(3), table, "deliver", []any{set{"to": "ops", "every": "refresh"}}))
	delete(unreached, dashboard.WarnDeliveryWaits)
	w.call("publish_dashboard", object("path", "coded", "spec", spec(names(3), table)))
	_, err := w.pool.Exec(t.Context(), `UPDATE version SET code = '{"commit": "0123456", "path": "a.yaml", "hash": "01234567"}'`)
	w.must(err)
	if r := w.call("publish_dashboard", object("path", "coded", "spec", spec(names(4), table), "dry_run", true)); strings.Contains(
		r.Text, `"[from_code] the page comes from Git, a.yaml at commit 0123456: `) {
		delete(unreached, dashboard.WarnFromCode)
	}
	for code := range unreached {
		t.Errorf("no case for %s", code)
	}
}

// deliveryWaits publishes a spec with a delivery to the channel ops: a member gets the warning that it waits, in a dry run
// too, and an owner does not.
func (w *world) deliveryWaits(spec json.RawMessage) {
	w.t.Helper()
	for _, at := range []string{"ada@acme", "bob@beta"} {
		_, _, err := w.Messages.AddChannel(w.t.Context(), w.members[at], store.ChannelEdit{
			Slug: "ops", Kind: channel.Webhook, Name: "Ops", URL: "https://hooks.example.com/x",
		})
		w.must(err)
	}
	const code = `"[` + dashboard.WarnDeliveryWaits + `] deliver[0]: `
	for _, c := range []struct {
		as    string
		dry   bool
		waits bool
	}{{"ada@acme", true, false}, {"ada@acme", false, false}, {"ada@beta", true, true}, {"ada@beta", false, true}, {"bob@beta", false, true}} {
		w.as(c.as)
		r := w.call("publish_dashboard", object("path", "sent", "spec", spec, "dry_run", c.dry))
		if r.Internal != "" || strings.Contains(r.Text, code) != c.waits || !strings.Contains(r.Text, `"sent"`) {
			w.t.Errorf("as %s, dry run %t: %.1500s%s", c.as, c.dry, r.Text, r.Internal)
		}
	}
}
