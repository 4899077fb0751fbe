package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/jackc/pgx/v5"

	"service/server/browsertest"
	"service/store/warehouse/warehousetest"
)

// guarded starts a PostgreSQL with the table sales that requires a password of the user
// "reader", and returns its port.
func guarded(t *testing.T, password string) (port string) {
	t.Helper()
	server, err := warehousetest.StartPostgres()
	if server != nil {
		t.Cleanup(server.Stop)
	}
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), server.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	var rules string
	if err := conn.QueryRow(t.Context(), "SHOW hba_file").Scan(&rules); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(rules, []byte("local all postgres trust\nlocal all all scram-sha-256\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `
		CREATE TABLE sales AS SELECT g AS id, 7.0 AS amount FROM generate_series(1, 6) g;
		CREATE ROLE reader LOGIN PASSWORD '`+password+`';
		GRANT SELECT ON sales TO reader;
		SELECT pg_reload_conf()`); err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(server.Port)
}

// An owner adds a warehouse and corrects it until the test succeeds; then a client
// publishes a dashboard over it. The password appears nowhere.
func TestStoryOfAConnection(t *testing.T) {
	t.Parallel()
	const wrong, right = "hunter-wrong-4f1c", "hunter-right-9a2e"
	s := startSite(t, "SERVICE_ALLOW_PRIVATE_WAREHOUSES=true", "SERVICE_LOG_LEVEL=debug")
	port, closed := guarded(t, right), freePort(t)
	ada := s.founder(t, "ada@example.com", "acme")
	var seen strings.Builder
	const send = `main form .actions button.primary`
	// refused sends the form, which is shown again with the reason why nothing is stored.
	refused := func(reason string) {
		t.Helper()
		status := ada.Follow(chromedp.Click(chromedp.CSS(send), chromedp.NodeVisible))
		seen.WriteString(ada.source())
		if text := ada.Text(`main`); status != http.StatusUnprocessableEntity || !strings.Contains(text, reason) {
			t.Errorf("the connection is answered with %d, want %s:\n%s", status, reason, text)
		}
	}
	ada.Expect("422")
	ada.tab("connections")
	ada.click(`a[href$="/connections/new?kind=postgres"]`)
	ada.fill(`#label`, "Sales", `#host`, "127.0.0.1", `#port`, port, `#database`, "postgres", `#user`, "reader", `#password`, wrong)
	ada.Do(chromedp.SetValue(chromedp.CSS(`#tls`), "off"))
	refused("The warehouse refused the user or the password.")
	ada.fill(`#port`, closed, `#password`, wrong)
	refused("Nothing answers on that port of the host: the connection was refused.")
	ada.fill(`#port`, port, `#database`, "elsewhere", `#password`, right)
	refused("The warehouse has no database of that name.")
	if list := browsertest.Eval[string](ada.Tab, `fetch("/w/acme/connections").then((r) => r.text())`); strings.Contains(list, "Sales") {
		t.Errorf("a connection that failed is stored:\n%s", list)
	}
	ada.fill(`#database`, "postgres", `#password`, right)
	ada.click(send)
	seen.WriteString(ada.source())
	card := ada.Text(`[aria-labelledby="status"]`)
	if badge := ada.Text(`[aria-labelledby="status"] .badge`); badge != "Active" || !strings.Contains(card, "as of") {
		t.Errorf("the connection is shown as %s:\n%s", badge, card)
	}

	c := ada.connect("Claude Code", "acme")
	connections := c.call("list_connections", nil)
	c.publish("sales", "Sales", "SELECT sum(amount) AS number FROM sales",
		map[string]any{"connection": connections.data["connections"].([]any)[0].(map[string]any)["id"]})
	if number := ada.open("acme", "sales"); number != "42" {
		t.Errorf("the page shows %s", number)
	}
	seen.WriteString(ada.source())
	ada.Visit(s.app + "/w/acme/connections")
	seen.WriteString(ada.source())
	ada.tab("audit")
	audit := ada.source() + browsertest.Eval[string](ada.Tab, `fetch("/w/acme/audit.csv").then((r) => r.text())`)
	if !strings.Contains(audit, "Sales") {
		t.Errorf("the audit log does not have the connection:\n%s", audit)
	}
	log := s.log.String()
	if !strings.Contains(log, "/w/acme/connections") {
		t.Errorf("the log has no requests:\n%s", log)
	}
	for place, text := range map[string]string{
		"a page": seen.String(), "the audit log": audit, "the log": log, "an answer": connections.text,
	} {
		for _, secret := range []string{wrong, right} {
			if strings.Contains(text, secret) {
				t.Errorf("%s contains a password: %s", place, text)
			}
		}
	}
}

// A person allows a client with a double click, with scripts off and on: the redirect
// from the form reaches the client under the policy of production.
func TestStoryOfConsent(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	s.founder(t, "ada@example.com", "acme")
	for _, scripts := range []bool{false, true} {
		t.Run(fmt.Sprintf("scripts=%t", scripts), func(t *testing.T) {
			p := s.person(t)
			p.Scripts(scripts)
			c := s.connectVia(t, "Claude Code", func(address string) {
				p.Visit(address)
				p.click(`main a.button.primary`)
				p.signIn("ada@example.com")
				// The script prevents sending a form twice, until the page is shown again.
				const twice = `(() => {
					const send = () => document.forms[0].dispatchEvent(new SubmitEvent("submit", { cancelable: true }));
					send();
					const stopped = !send();
					dispatchEvent(new Event("pageshow"));
					return stopped;
				})()`
				if stopped := browsertest.Eval[bool](p.Tab, twice); stopped != scripts {
					t.Errorf("scripts run: %t", stopped)
				}
				p.press(`input[name="workspace"][value="acme"]`)
				p.Follow(chromedp.DoubleClick(chromedp.CSS(`button[value="allow"]`)))
				if said := p.Text(`#done`); said != "You can close this tab." {
					t.Errorf("the browser is at %s: %s", p.Address(), said)
				}
			})
			if got := c.call("check_readiness", nil); got.failed || got.data["ready"] != true {
				t.Error(got.text)
			}
		})
	}
}
