package main

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"service/server/browsertest"
)

// mail waits for the mail with a subject in the mailbox of the development identity provider, and opens it.
func (p *person) mail(subject string) {
	p.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		p.Visit(p.s.idp + "/mail")
		if strings.Contains(p.Text(`main`), subject) {
			break
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("no mail %q has come:\n%s\n%s", subject, p.Text(`main`), p.s.log)
		}
	}
	p.Follow(chromedp.Click(`//a[text()="`+subject+`"]`, chromedp.NodeVisible))
}

// letter opens the HTML of the current mail, and returns its link to a dashboard.
func (p *person) letter() (link string) {
	p.t.Helper()
	p.Visit(p.Address() + "/html")
	return browsertest.Eval[string](p.Tab, `document.querySelector("td[bgcolor] a").href`)
}

// A client adds an alert to a dashboard over a file. The file is replaced by one with a value below the threshold:
// a mail reports it, and its link opens the page filtered to the affected values. Another mail reports the end of
// the alert, and the screen of alerts shows both events.
func TestStoryOfAnAlert(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	ada := s.founder(t, "ada@example.com", "acme")
	ada.tab("uploads")
	ada.drop("sales.csv", "country,amount\nFrance,40\nSpain,60\n", "sales.csv is uploaded.")
	c := ada.connect("Claude Code", "acme")
	more := c.upload()
	more["spec"] = map[string]any{
		"version": 1, "title": "Sales",
		"datasets": []any{map[string]any{
			"id": "sales", "sql": "SELECT country, amount FROM upload",
			"columns": map[string]any{"amount": map[string]any{"label": "Amount", "agg": "sum"}},
		}},
		"filters": []any{map[string]any{"column": "country"}},
		"panels": []any{
			map[string]any{"type": "kpi", "value": "amount"},
			map[string]any{"type": "bar", "title": "By country", "x": "country", "y": "amount"},
		},
	}
	c.publish("sales", "", "", more)
	if sum := ada.open("acme", "sales"); sum != "100" {
		t.Errorf("the page shows %s", sum)
	}

	got := c.call("publish_dashboard", map[string]any{"path": "sales", "patch": []any{map[string]any{
		"op": "add", "path": "/alerts", "value": []any{map[string]any{
			"id": "low", "title": "Too little", "value": "amount", "by": "country", "if": "<", "than": 30, "severity": "critical",
		}},
	}}})
	if got.failed {
		t.Fatal(got.text)
	}
	c.refreshed("sales")
	if ada.open("acme", "sales"); strings.Contains(ada.source(), "Too little") {
		t.Error("the alert fires already")
	}

	replace := func(name, text string) {
		t.Helper()
		ada.Visit(s.app + "/w/acme/uploads")
		ada.click(`.rows a[href$="#replace"]`)
		ada.drop(name, text, name+" has replaced the file. 1 dashboard that reads it refreshes now.")
		c.refreshed("sales")
	}
	replace("low.csv", "country,amount\nFrance,12\nSpain,60\n")
	ada.mail("Alert: Too little · Sales")
	if text := ada.Text(`pre`); !strings.Contains(text, "France: Amount is 12: below 30.") || strings.Contains(text, "Spain") {
		t.Errorf("the mail has\n%s", text)
	}
	link := ada.letter()
	if letter := ada.Text(`body`); !strings.Contains(letter, "✖ Too little") || !strings.Contains(letter, "below 30") {
		t.Errorf("the mail shows\n%s", letter)
	}
	ada.Visit(link)
	if at, sum := ada.Address(), ada.Text(`.kpi .big`); !strings.HasPrefix(at, s.workspace("acme")+"/sales?f.country=France") || sum != "12" {
		t.Errorf("its link leads to %s, which shows %s", at, sum)
	}
	if fires := ada.Text(`.alert.fires`); !strings.Contains(fires, "Critical: Too little") || !strings.Contains(fires, "France") {
		t.Errorf("the page shows\n%s", fires)
	}
	ada.Visit(s.app + "/w/acme/")
	ada.tab("alerts")
	if now := ada.Text(`section[aria-labelledby="now"]`); !strings.Contains(now, "1 alert fires") || !strings.Contains(now, "Critical") {
		t.Errorf("the screen shows\n%s", now)
	}

	replace("high.csv", "country,amount\nFrance,70\nSpain,60\n")
	ada.mail("Over: Too little · Sales")
	if text := ada.Text(`pre`); !strings.Contains(text, "France") || !strings.Contains(text, "✓ Too little") {
		t.Errorf("the mail has\n%s", text)
	}
	ada.Visit(ada.letter())
	if sum := ada.Text(`.kpi .big`); sum != "70" || strings.Contains(ada.source(), "Critical: Too little") {
		t.Errorf("when it is over, the page shows %s and\n%s", sum, ada.Text(`main`))
	}
	ada.Visit(s.app + "/w/acme/alerts")
	if now := ada.Text(`section[aria-labelledby="now"]`); !strings.Contains(now, "No alerts are firing") || !strings.Contains(now, "Quiet") {
		t.Errorf("the screen shows\n%s", now)
	}
	told := browsertest.Eval[[]string](ada.Tab,
		`[...document.querySelectorAll('[aria-labelledby="history"] .rows > li')].map((e) => e.innerText)`)
	if len(told) != 2 || !strings.Contains(told[0], "Over") || !strings.Contains(told[1], "Critical") ||
		!strings.Contains(told[1], "France") || strings.Contains(told[1], "Nobody was notified") {
		t.Errorf("the history is %q", told)
	}
}
