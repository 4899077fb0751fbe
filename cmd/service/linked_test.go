package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A fileHost is a host of one CSV file, for a token.
type fileHost struct {
	mu    sync.Mutex
	text  string
	state int
	asks  []string // statuses
}

func (h *fileHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	status, tag := http.StatusOK, fmt.Sprintf(`"%d"`, h.state)
	switch {
	case r.Header.Get("Authorization") != "Bearer t0ken-4f1c":
		status = http.StatusForbidden
	case h.text == "":
		status = http.StatusNotFound
	case r.Header.Get("If-None-Match") == tag:
		status = http.StatusNotModified
	}
	h.asks = append(h.asks, fmt.Sprint(status))
	w.Header().Set("ETag", tag)
	w.WriteHeader(status)
	if status == http.StatusOK {
		fmt.Fprint(w, h.text)
	} else if status != http.StatusNotModified {
		fmt.Fprint(w, "inner s3cret")
	}
}

func (h *fileHost) put(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text, h.state = text, h.state+1
}

// asked returns the statuses of the requests since the last call.
func (h *fileHost) asked() (asks []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	asks, h.asks = h.asks, nil
	return asks
}

// TestStoryOfLinkedFiles: a person links a file, and a client looks at it, publishes a page of several datasets over it and refreshes that.
// A refresh asks once whether the file has changed, and fetches it once if so. A failed one keeps the rows. Nothing shows the token.
func TestStoryOfLinkedFiles(t *testing.T) {
	t.Parallel()
	host := &fileHost{text: "day,region,amount\n2026-01-01,EMEA,40\n2026-01-02,APAC,2\n"}
	server := httptest.NewTLSServer(host)
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	site := startSite(t, "SERVICE_ALLOW_PRIVATE_WAREHOUSES=true", "SERVICE_LOG_LEVEL=debug")
	ada := site.browser(t)
	ada.signIn(site.app+"/", "ada@example.com")
	ada.submit("/workspaces", url.Values{"name": {"Acme"}, "slug": {"acme"}})
	form := url.Values{
		"label": {"Exports"}, "host": {at.Hostname()}, "port": {at.Port()}, "place": {"sales = exports/sales.csv"}, "password": {"wr0ng-4f1c"},
		"tls": {"require"},
	}
	seen := ""
	add := func(name, value string) string {
		form.Set(name, value)
		ada.get(site.app + "/w/acme/connections/new?kind=files")
		page := ada.submit("/connections", form)
		seen += page.text
		return page.text
	}
	for _, try := range [][3]string{
		{"place", "exports/sales.exe", "place must list files that end in"},
		{"place", "sales = exports/sales.csv", "The host refuses the token for table"},
		{"tls", "off", "tls must not be off"},
		{"tls", "verify", "certificate of the warehouse cannot be verified"},
	} {
		if text := add(try[0], try[1]); !strings.Contains(text, try[2]) {
			t.Errorf("%s %s: %s is not in %s", try[0], try[1], try[2], text)
		}
	}
	form.Set("tls", "require")
	if text := add("password", "t0ken-4f1c"); !strings.Contains(text, "the connection is active") {
		t.Fatal(text)
	}
	c := site.connect(t, ada, "acme")
	connection := c.call("list_connections", nil).data["connections"].([]any)[0].(map[string]any)
	if connection["kind"] != "files" || connection["dialect"] != "duckdb" {
		t.Errorf("%v", connection)
	}
	source := map[string]any{"connection": connection["id"]}
	with := func(more map[string]any) map[string]any {
		more["connection"] = connection["id"]
		return more
	}
	for tool, try := range map[string]struct {
		args map[string]any
		want string
	}{
		"introspect_schema": {map[string]any{}, `"name":"sales"`},
		"validate_cube_sql": {map[string]any{"sql": "SELECT region, sum(amount) AS amount FROM sales GROUP BY 1"}, `"amount"`},
		"explore_data":      {map[string]any{"sql": "SELECT * FROM sales"}, "EMEA"},
	} {
		if got := c.call(tool, with(try.args)); got.failed || !strings.Contains(strings.ReplaceAll(got.text, `": "`, `":"`), try.want) {
			t.Errorf("%s: %s", tool, got.text)
		}
	}
	var datasets, panels []any
	for i := range 20 {
		id := fmt.Sprint("d", i)
		datasets = append(datasets, map[string]any{"id": id, "sql": fmt.Sprintf("SELECT sum(amount) + %d AS number FROM sales", i)})
		panels = append(panels, map[string]any{"type": "kpi", "data": id, "value": "number"})
	}
	c.publishPage("sales", map[string]any{"version": 1, "title": "Sales", "datasets": datasets, "panels": panels}, source, nil)
	number := func() string {
		text := c.call("verify_dashboard", map[string]any{"slug": "sales"}).text
		seen += text
		host.asked()
		return text
	}
	if text := number(); !strings.Contains(text, "42") || !strings.Contains(text, "61") {
		t.Error(text)
	}
	host.asked()
	refresh := func(want ...string) answer {
		t.Helper()
		if got := c.call("trigger_refresh", map[string]any{"slug": "sales"}); got.failed {
			t.Fatal(got.text)
		}
		for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			got := c.call("get_refresh_status", map[string]any{"slug": "sales"})
			if state := got.data["state"]; state == "succeeded" || state == "failed" || state == "partial" {
				if asks := host.asked(); !slices.Equal(asks, want) {
					t.Errorf("the host is asked %v, want %v", asks, want)
				}
				seen += got.text
				return got
			} else if time.Now().After(deadline) {
				t.Fatal(got.text)
			}
		}
	}
	refresh("304")
	host.put("day,region,amount\n2026-01-01,EMEA,1000\n")
	refresh("200")
	if text := number(); !strings.Contains(text, "1,019") {
		t.Error(text)
	}
	// A page that reads the rows of this one is a resource too, with the rows that its source has now.
	c.publishPage("readers", map[string]any{
		"version": 1, "title": "Readers",
		"datasets": []any{
			map[string]any{"id": "as", "from": "sales/d0"},
			map[string]any{
				"id": "both", "from": []string{"sales/d1", "sales/d2"},
				"sql": "SELECT sum(number) AS number FROM (SELECT * FROM d1 UNION ALL SELECT * FROM d2)",
			},
		},
		"panels": []any{
			map[string]any{"type": "kpi", "data": "as", "value": "number"}, map[string]any{"type": "kpi", "data": "both", "value": "number"},
		},
	}, source, nil)
	read, err := c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "service://acme/readers"})
	if err != nil || len(read.Contents) != 1 || read.Contents[0].MIMEType != "text/html" ||
		!strings.Contains(read.Contents[0].Text, "1,000") || !strings.Contains(read.Contents[0].Text, "2,003") {
		t.Errorf("the resource of a page with from: %+v, %v", read, err)
	}
	host.asked()
	host.put("")
	if got := refresh("404"); got.data["state"] != "failed" || !strings.Contains(got.text, "The host has no file for table") {
		t.Error(got.text)
	}
	if text := number(); !strings.Contains(text, "1,019") {
		t.Error(text)
	}
	for _, page := range []string{"/connections", "/connections/" + connection["id"].(string), "/audit", "/audit.csv"} {
		seen += ada.get(site.app + "/w/acme" + page).text
	}
	if !strings.Contains(seen, "exports/sales.csv") || !strings.Contains(seen, "imitation") {
		t.Error("the connection's page shows neither its files nor that the kind was tested against a stand-in")
	}
	for place, text := range map[string]string{"a page or an answer": seen, "the log": site.log.String()} {
		for _, secret := range []string{"t0ken-4f1c", "wr0ng-4f1c", "s3cret"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s contains %s", place, secret)
			}
		}
	}
}
