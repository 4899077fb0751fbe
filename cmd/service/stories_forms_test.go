package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"service/server/browsertest"
	"service/store/warehouse"
)

// TestStoryOfFailingForms: a person who adds a connection to BigQuery, Snowflake or Trino sees at the field what is wrong, and for
// Snowflake the statement with the public key, and the reason why the test of it fails. SCREENSHOTS names a folder for pictures.
func TestStoryOfFailingForms(t *testing.T) {
	t.Parallel()
	var code atomic.Int32
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(int(code.Load()))
		fmt.Fprint(w, `{"error":"invalid_client","code":"390144","message":"s3cret-4f1c"}`)
	}))
	t.Cleanup(host.Close)
	port := host.URL[strings.LastIndex(host.URL, ":")+1:]
	s := startSite(t, "SERVICE_ALLOW_PRIVATE_WAREHOUSES=true")
	ada := s.founder(t, "ada@example.com", "acme")
	ada.Do(chromedp.EmulateViewport(1280, 900))
	ada.Expect("422")
	picture := func(name string) {
		if folder := os.Getenv("SCREENSHOTS"); folder != "" {
			file := filepath.Join(folder, name+".png")
			if err := os.WriteFile(file, browsertest.Run(ada.Tab, chromedp.FullScreenshot(100)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	fill := func(kind string, fieldsAndValues ...string) {
		t.Helper()
		ada.Visit(s.app + "/w/acme/connections")
		ada.click(`a[href$="new?kind=` + kind + `"]`)
		all := append([]string{"#label", "Sales", "#host", "127.0.0.1", "#port", port, "#tls", "off"}, fieldsAndValues...)
		for i := 0; i < len(all); i += 2 {
			ada.Do(chromedp.SetValue(chromedp.CSS(all[i]), all[i+1]))
		}
		ada.Follow(chromedp.Click(chromedp.CSS(`button.primary`), chromedp.NodeVisible))
	}
	wrong := func(name, field, text string) {
		t.Helper()
		picture(name)
		if got := ada.Text(`#` + field + `-problem`); !strings.Contains(got, text) || strings.Contains(ada.source(), "s3cret-4f1c") {
			t.Errorf("%s: %s shows %q", name, field, got)
		}
	}
	code.Store(http.StatusUnauthorized)
	fill("bigquery", "#database", "shop", "#password", `{"type": "authorized_user"}`)
	wrong("bigquery-other-key", "password", "The key is not that of a service account")
	fill("bigquery", "#database", "shop", "#password", accountKey(t))
	wrong("bigquery-refused", "password", "BigQuery")
	fill("snowflake", "#database", "SALES.SHOP", "#user", "dashboards", "#password", "an old password")
	wrong("snowflake-password", "password", "not a programmatic access token")
	fill("snowflake", "#database", "SALES.SHOP", "#user", "0f2a", "#password", "s3cret", "#place", host.URL+"/token session:role:DASHBOARDS")
	wrong("snowflake-oauth", "password", "The identity provider refused the client.")
	fill("trino", "#database", "hive.shop", "#user", "dashboards", "#password", "s3cret")
	wrong("trino-refused", "password", warehouse.SayAuth)
	code.Store(http.StatusNotFound)
	fill("trino", "#database", "hive.shop", "#user", "dashboards", "#password", "s3cret", "#port", "1")
	wrong("trino-closed", "host", "")

	code.Store(http.StatusUnauthorized)
	fill("snowflake", "#database", "SALES.SHOP", "#user", "dashboards")
	picture("snowflake-key")
	if said := ada.Text(`[aria-labelledby="key"] pre`); !strings.HasPrefix(said, "ALTER USER DASHBOARDS SET RSA_PUBLIC_KEY = 'MII") {
		t.Errorf("the page shows %q", said)
	}
	ada.click(`form[action$="/test"] button`)
	picture("snowflake-failing")
	if said := ada.Text(`[aria-labelledby="status"]`); !strings.Contains(said, "Snowflake refused the user, its key or its token.") {
		t.Errorf("the page shows %q", said)
	}
}
