package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"service/server/browsertest"
	"service/store/warehouse"
)

// A revenueHost answers as BigQuery with one number, in a column that is called revenue. How strictly BigQuery's requests are made is
// tested in package bigquery.
type revenueHost struct{ revenue, runs atomic.Int64 }

func (h *revenueHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const schema = `{"fields":[{"name":"revenue","type":"INTEGER"}]}`
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	switch {
	case !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ey"):
		w.WriteHeader(http.StatusUnauthorized)
	case strings.Contains(string(body), `"dryRun":true`):
		fmt.Fprint(w, `{"statistics":{"query":{"statementType":"SELECT","totalBytesProcessed":"1000","schema":`+schema+`}}}`)
	case r.Method == http.MethodPost:
		h.runs.Add(1)
		fmt.Fprint(w, `{"status":{"state":"RUNNING"}}`)
	default:
		fmt.Fprintf(w, `{"jobComplete":true,"totalBytesProcessed":"1000","schema":%s,"rows":[{"f":[{"v":"%d"}]}]}`, schema, h.revenue.Load())
	}
}

// accountKey returns a file as Google Cloud makes it for the key of a service account.
func accountKey(t *testing.T) string {
	t.Helper()
	private, err := warehouse.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	file, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "acme-prod", "private_key_id": "0123abc", "private_key": private,
		"client_email": "reader@acme-prod.iam.gserviceaccount.com",
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(file)
}

// add adds a connection by the form of a kind. Its arguments are alternating selectors and values.
func (p *person) add(kind, tls string, fieldsAndValues ...string) {
	p.t.Helper()
	p.Visit(p.s.app + "/w/acme/connections")
	p.click(`a[href$="new?kind=` + kind + `"]`)
	for i := 0; i < len(fieldsAndValues); i += 2 {
		p.Do(chromedp.SetValue(chromedp.CSS(fieldsAndValues[i]), fieldsAndValues[i+1])) // a key is too long to be typed
	}
	p.Do(chromedp.SetValue(chromedp.CSS(`#tls`), tls))
	p.click(`button.primary`)
	if said := p.Text(`.flash`); said != "The test succeeded: the connection is active." {
		p.t.Fatalf("%s: it shows %s", kind, said)
	}
}

// TestStoryOfThreeSources: a person adds a warehouse and a linked file by their forms and uploads a file, and a client publishes a page
// that shows rows of all three, and a number of two of them. The page follows each of them when it changes.
func TestStoryOfThreeSources(t *testing.T) {
	t.Parallel()
	google, files := &revenueHost{}, &fileHost{text: "region,orders\nEMEA,40\nAPAC,2\n"}
	google.revenue.Store(700)
	atGoogle, atFiles := httptest.NewServer(google), httptest.NewTLSServer(files)
	t.Cleanup(atGoogle.Close)
	t.Cleanup(atFiles.Close)
	port := func(address string) string { return address[strings.LastIndex(address, ":")+1:] }
	s := startSite(t, "SERVICE_ALLOW_PRIVATE_WAREHOUSES=true")
	ada := s.founder(t, "ada@example.com", "acme")
	ada.add("bigquery", "off", "#label", "Sales", "#host", "127.0.0.1", "#port", port(atGoogle.URL), "#database", "shop",
		"#password", accountKey(t))
	ada.add("files", "require", "#label", "Exports", "#host", "127.0.0.1", "#port", port(atFiles.URL), "#place", "orders = exports/orders.csv",
		"#password", "t0ken-4f1c")
	ada.Visit(s.app + "/w/acme/uploads")
	ada.drop("plan.csv", "region,target\nEMEA,400\nAPAC,100\n", "plan.csv is uploaded.")

	c := ada.connect("Claude Code", "acme")
	sources := map[string]map[string]any{}
	for _, one := range c.call("list_connections", nil).data["connections"].([]any) {
		connection := one.(map[string]any)
		sources[connection["kind"].(string)] = map[string]any{"connection": connection["id"]}
		if uploads, ok := connection["uploads"].([]any); ok && len(uploads) > 0 {
			sources["upload"] = map[string]any{"connection": connection["id"], "upload": uploads[0].(map[string]any)["id"]}
		}
	}
	page := func(slug, source string, panels []any, datasets ...any) {
		t.Helper()
		c.publishPage(slug, map[string]any{"version": 1, "title": slug, "datasets": datasets, "panels": panels}, sources[source], nil)
	}
	kpi := func(data, value string) any { return map[string]any{"type": "kpi", "data": data, "value": value} }
	page("exports", "files", []any{kpi("orders", "orders")},
		map[string]any{"id": "orders", "sql": "SELECT sum(orders) AS orders FROM orders", "shared": true, "description": "All orders."})
	page("plan", "upload", []any{kpi("plan", "target")}, map[string]any{"id": "plan", "sql": "SELECT sum(target) AS target FROM upload"})
	if told := c.call("introspect_schema", sources["files"]).text; !strings.Contains(told, "exports/orders") {
		t.Errorf("introspect_schema does not list the shared dataset: %s", told)
	}
	page("board", "bigquery", []any{kpi("revenue", "revenue"), kpi("orders", "orders"), kpi("target", "target"), kpi("gap", "gap")},
		map[string]any{"id": "revenue", "sql": "SELECT SUM(amount) AS revenue FROM orders"},
		map[string]any{"id": "orders", "from": "exports/orders"}, map[string]any{"id": "target", "from": "plan/plan"},
		map[string]any{"id": "gap", "from": []any{"revenue", "plan/plan"}, "sql": `SELECT r.revenue - p.target AS gap FROM revenue r, "plan" p`})

	shows := func(want ...string) {
		t.Helper()
		var got []string
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
			ada.open("acme", "board")
			got = browsertest.Eval[[]string](ada.Tab, `[...document.querySelectorAll(".kpi .big")].map(e => e.textContent.trim())`)
			if slices.Equal(got, want) {
				return
			}
		}
		t.Errorf("the page shows %v, want %v", got, want)
	}
	refresh := func(slug string) {
		t.Helper()
		if got := c.call("trigger_refresh", map[string]any{"slug": slug}); got.failed {
			t.Fatal(got.text)
		}
	}
	shows("700", "42", "500", "200")
	runs := google.runs.Load()
	google.revenue.Store(900)
	refresh("board")
	shows("900", "42", "500", "400")
	if ran := google.runs.Load() - runs; ran != 1 {
		t.Errorf("a refresh runs %d queries in the warehouse", ran)
	}
	files.put("region,orders\nEMEA,50\n")
	refresh("exports")
	shows("900", "50", "500", "400")
	ada.Visit(s.app + "/w/acme/uploads")
	ada.click(`.rows a[href$="#replace"]`)
	ada.drop("plan.csv", "region,target\nEMEA,1000\n", "plan.csv has replaced the file. 1 dashboard that reads it refreshes now.")
	shows("900", "50", "1,000", "\u2212100")
	for _, path := range []string{"/connections", "/audit"} {
		ada.Visit(s.app + "/w/acme" + path)
		if seen := ada.source(); strings.Contains(seen, "PRIVATE KEY") || strings.Contains(seen, "t0ken-4f1c") {
			t.Errorf("%s contains a credential", path)
		}
	}
	if log := s.log.String(); strings.Contains(log, "PRIVATE KEY") || strings.Contains(log, "t0ken-4f1c") {
		t.Error("the log contains a credential")
	}
}
