package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"service/store/dashboard"
)

// hostileTexts are titles and values of rows whose author wants to change the contents of messages.
var hostileTexts = []string{
	"x\r\nBcc: eve@evil.example\r\n\r\nOpen the dashboard:\nhttps://evil.example/",
	`<img src=x onerror=alert(1)>`, `"><script>alert(1)</script>`, `</td></table><a href="https://evil.example">here</a>`,
	`<!channel> <@U123> <https://evil.example|click>`, "*bold* _so_ ~no~ `code` :boom: @here",
	`[click](https://evil.example) # head <at>all</at>`,
	`${evil} {{.Link}} {{DATE(2026-01-01T00:00:00Z)}}`, "\u202egnp.exe\u2066 \u202dturned", "\x1b[31mred\x07\x7f\u0085\u2028next",
	strings.Repeat("W", 3000), strings.Repeat("<&", 1500),
}

// hostileName is a hostile name that the rules of names allow.
const hostileName = "<b>Sales</b> *x* <!here> \u202e[x](https://evil.example)"

// A postbox records the requests posted to its paths.
type postbox struct {
	*httptest.Server
	mu   sync.Mutex
	took map[string][][]byte
}

func (p *postbox) at(path string) [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.took[path]
}

func openPostbox(t *testing.T) *postbox {
	t.Helper()
	p := &postbox{took: map[string][][]byte{}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.took[r.URL.Path] = append(p.took[r.URL.Path], body)
	}))
	t.Cleanup(p.Close)
	return p
}

// twisted matches characters that no text of a message may contain: control characters,
// and those that change the direction of text.
var twisted = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]")

// showsAll fails the test unless said, all texts as a reader sees them, shows every hostile text literally.
func showsAll(t *testing.T, where string, said string) {
	t.Helper()
	if at := twisted.FindStringIndex(said); at != nil {
		t.Errorf("%s: a text has %q", where, said[max(0, at[0]-30):min(len(said), at[1]+30)])
	}
	for _, text := range hostileTexts {
		want := []rune(dashboard.OneLine(text))
		if want := string(want[:min(len(want), 60)]); !strings.Contains(said, want) {
			t.Errorf("%s does not show %q", where, want)
		}
	}
}

// Names of dashboards and workspaces, titles of alerts and values of rows are inert in each kind of message, on the
// page and on the screen of alerts: they cause no markup, no mention, no header, no line and no link.
func TestHostileTextsInMessages(t *testing.T) {
	t.Parallel()
	s := startSite(t, "SERVICE_ALLOW_PRIVATE_CHANNELS=true")
	ada := s.browser(t)
	ada.signIn(s.app+"/", "ada@example.com")
	ada.submit("/workspaces", url.Values{"name": {hostileName}, "slug": {"acme"}})
	box := openPostbox(t)
	var account string
	if err := s.db.QueryRow(t.Context(), `SELECT id::text FROM account`).Scan(&account); err != nil {
		t.Fatal(err)
	}
	kinds := []string{"mail", "slack", "teams", "webhook"}
	var deliver []any
	for _, kind := range kinds {
		form := url.Values{"kind": {kind}, "name": {hostileName}, "slug": {"to-" + kind}, "url": {box.URL + "/" + kind}}
		if kind == "mail" {
			form["url"], form["members"] = nil, []string{account}
		}
		if p := ada.send(s.app+"/w/acme/channels", form); p.status != http.StatusOK {
			t.Fatal(p.status, p.text)
		}
		deliver = append(deliver, map[string]any{"to": "to-" + kind, "every": "refresh"})
	}
	c := s.connect(t, ada, "acme")
	publishHostile(t, c, deliver)
	want := len(hostileTexts) + 1
	var mails []string
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		var err error
		if mails, err = filepath.Glob(filepath.Join(s.dataDir(), "mail", "*.eml")); err != nil {
			t.Fatal(err)
		}
		if len(mails) == want && len(box.at("/slack")) == want && len(box.at("/teams")) == want && len(box.at("/webhook")) == want {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d mails, %d, %d and %d messages, want %d\n%s", len(mails), len(box.at("/slack")), len(box.at("/teams")),
				len(box.at("/webhook")), want, s.log)
		}
	}

	s.inertMails(t, ada, mails)
	s.inertSlack(t, box.at("/slack"))
	s.inertTeams(t, box.at("/teams"))
	var hooks strings.Builder
	for _, body := range box.at("/webhook") {
		all := valuesOf(t, body)
		if to := all[".data.dashboard.url"].(string); !strings.HasPrefix(to, s.workspace("acme")+"/sales") {
			t.Errorf("the webhook has the URL %s", to)
		}
		if all[".type"] == "delivery" { // its data are for machines, which compare names with known ones
			continue
		}
		delete(all, ".data.dashboard.name")
		for _, value := range all {
			fmt.Fprintln(&hooks, value)
		}
	}
	showsAll(t, "the webhook", hooks.String())
	for where, p := range map[string]page{
		"the page": ada.get(s.workspace("acme") + "/sales"), "the screen": ada.get(s.app + "/w/acme/alerts"),
	} {
		doc, err := html.Parse(strings.NewReader(p.text))
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		for n := range doc.Descendants() {
			section := n.Data == "section" && (strings.HasPrefix(attr(n, "class"), "alert ") || attr(n, "aria-labelledby") == "now" ||
				attr(n, "aria-labelledby") == "history")
			if section || n.Data == "p" && strings.HasPrefix(attr(n, "class"), "mark ") {
				said.WriteString(s.inertHTML(t, where, n))
			}
		}
		showsAll(t, where, said.String())
	}
}

// publishHostile publishes a dashboard of hostile texts with an alert for each.
func publishHostile(t *testing.T, c *client, deliver []any) {
	t.Helper()
	var alerts []any
	var rows []string
	bare := strings.NewReplacer("\x1b", "", "\x07", "", "\x7f", "") // without characters that specs must not have
	for i, text := range hostileTexts {
		value := strings.ReplaceAll(text, "'", "''")
		for _, c := range "\x1b\x07\x7f{" { // { would begin a bound value
			value = strings.ReplaceAll(value, string(c), fmt.Sprintf("' || chr(%d) || '", c))
		}
		rows = append(rows, fmt.Sprintf("('%s', %d)", value, i))
		title := []rune(bare.Replace(text))
		alerts = append(alerts, map[string]any{
			"id": fmt.Sprint("a", i), "title": string(title[:min(len(title), 200)]), "value": "amount", "by": "name", "if": "<", "than": 1000,
			"to": []string{"to-mail", "to-slack", "to-teams", "to-webhook"},
		})
	}
	got := c.call("publish_dashboard", map[string]any{"path": "sales", "spec": map[string]any{
		"version": 1, "title": hostileName,
		"datasets": []any{map[string]any{
			"id": "d", "sql": "SELECT * FROM (VALUES " + strings.Join(rows, ", ") + ") AS t (name, amount)",
			"columns": map[string]any{"amount": map[string]any{"agg": "sum"}},
		}},
		"filters": []any{map[string]any{"column": "name", "label": hostileTexts[0]}},
		"panels": []any{
			map[string]any{"type": "kpi", "title": hostileTexts[0], "value": "amount"},
			map[string]any{"type": "bar", "title": hostileTexts[1], "x": "name", "y": "amount"},
			map[string]any{"type": "table", "title": hostileTexts[8], "columns": []string{"name", "amount"}},
		},
		"alerts": alerts, "deliver": deliver,
	}})
	if got.failed {
		t.Fatal(got.text)
	}
	c.refreshed("sales")
}

// inertHTML fails the test for elements and attributes below n that the service does not write, and
// returns the texts.
func (s *site) inertHTML(t *testing.T, where string, n *html.Node) string {
	t.Helper()
	ours := strings.Fields(`html head meta title style body div table tbody tr td th p h1 h2 a img section strong ul li svg path b span bdi
		time header form input button details summary`)
	var said strings.Builder
	for e := range n.Descendants() {
		if e.Type == html.TextNode && e.Parent.Data != "style" && e.Parent.Data != "bdi" { // inside which the direction of text may change
			said.WriteString(e.Data + "\n")
		}
		if e.Type != html.ElementNode {
			continue
		}
		if !slices.Contains(ours, e.Data) {
			t.Errorf("%s has an element <%s>", where, e.Data)
		}
		for _, a := range e.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "src" && !strings.HasPrefix(a.Val, "data:image/png;") {
				t.Errorf("%s has an attribute %s=%.80q", where, a.Key, a.Val)
			}
			to, err := url.Parse(a.Val)
			if a.Key == "href" && (err != nil || to.Host != "" && !strings.HasSuffix(to.Host, "localhost:"+s.port)) {
				t.Errorf("%s leads to %s", where, a.Val)
			}
		}
	}
	return said.String()
}

// inertMails checks the mails in the mailbox: their headers, their text and their HTML.
func (s *site) inertMails(t *testing.T, ada *browser, mails []string) {
	t.Helper()
	headers := []string{
		"Auto-Submitted", "Content-Type", "Date", "From", "List-Unsubscribe", "Message-Id", "Mime-Version", "Subject", "To",
	}
	var texts, htmls strings.Builder
	for _, path := range mails {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := mail.ReadMessage(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for name, values := range m.Header {
			if !slices.Contains(headers, name) || len(values) != 1 {
				t.Errorf("a mail has the header %s: %q", name, values)
			}
		}
		name := strings.TrimSuffix(filepath.Base(path), ".eml")
		letter := ada.get(s.idp + "/mail/" + name)
		doc, err := html.Parse(strings.NewReader(letter.text))
		if err != nil {
			t.Fatal(err)
		}
		for n := range doc.Descendants() {
			if n.Data == "h1" {
				texts.WriteString(n.FirstChild.Data + "\n")
			}
			if n.Data != "pre" {
				continue
			}
			text := n.FirstChild.Data
			texts.WriteString(text)
			lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
			links := 0
			for i, line := range lines {
				if strings.HasPrefix(line, "Bcc:") || strings.HasPrefix(line, "https://evil") {
					t.Errorf("a mail has the line %s", line)
				}
				if line == "Open the dashboard:" {
					if links++; !strings.HasPrefix(lines[i+1], s.workspace("acme")+"/sales") {
						t.Errorf("a mail leads to %s", lines[i+1])
					}
				}
			}
			if links != 1 {
				t.Errorf("a mail has %d links to the dashboard:\n%s", links, text)
			}
		}
		if doc, err = html.Parse(strings.NewReader(ada.get(s.idp + "/mail/" + name + "/html").text)); err != nil {
			t.Fatal(err)
		}
		for n := range doc.Descendants() {
			if n.Data == "base" { // the mailbox's
				n.Parent.RemoveChild(n)
				break
			}
		}
		htmls.WriteString(s.inertHTML(t, "a mail", doc))
	}
	showsAll(t, "the text of the mails", strings.ReplaceAll(texts.String(), "\r\n", "\n"))
	showsAll(t, "the HTML of the mails", htmls.String())
}

// valuesOf returns the values of a JSON document by path.
func valuesOf(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var doc any
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	out := map[string]any{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, below := range v {
				walk(path+"."+key, below)
			}
		case []any:
			for i, below := range v {
				walk(fmt.Sprintf("%s.%03d", path, i), below)
			}
		default:
			out[path] = v
		}
	}
	walk("", doc)
	return out
}

// inertSlack checks messages for Slack: all texts are plain but one, which is the service's link.
func (s *site) inertSlack(t *testing.T, messages [][]byte) {
	t.Helper()
	link := regexp.MustCompile(`^<` + regexp.QuoteMeta(s.workspace("acme")) + `/sales[^<>|]*\|Open the dashboard>$`)
	var said strings.Builder
	for _, body := range messages {
		all := valuesOf(t, body)
		if all[".mrkdwn"] != false || all[".unfurl_links"] != false {
			t.Errorf("mrkdwn %v, unfurl_links %v", all[".mrkdwn"], all[".unfurl_links"])
		}
		links := 0
		for path, value := range all {
			text, ok := value.(string)
			if !ok || !strings.HasSuffix(path, ".text") {
				continue
			}
			kind := all[strings.TrimSuffix(path, "text")+"type"]
			if kind == "mrkdwn" {
				if links++; !link.MatchString(text) {
					t.Errorf("markup for Slack: %s", text)
				}
				continue
			}
			if strings.ContainsAny(text, "<>") || path != ".text" && kind != "plain_text" {
				t.Errorf("Slack gets in %s %v %.100s", path, kind, text)
			}
			if most := 3000; utf8.RuneCountInString(text) > most {
				t.Errorf("Slack gets %d characters in %s", utf8.RuneCountInString(text), path)
			}
			said.WriteString(html.UnescapeString(text) + "\n")
		}
		if links != 1 {
			t.Errorf("%d links for Slack", links)
		}
	}
	showsAll(t, "Slack", said.String())
}

// inertTeams checks messages for Teams: texts are runs, which cannot have markup.
func (s *site) inertTeams(t *testing.T, messages [][]byte) {
	t.Helper()
	var said strings.Builder
	for _, body := range messages {
		if len(body) > 28_000 {
			t.Errorf("Teams gets %d bytes", len(body))
		}
		for path, value := range valuesOf(t, body) {
			text, ok := value.(string)
			if !ok {
				continue
			}
			switch key := path[strings.LastIndex(path, ".")+1:]; key {
			case "type":
				if !slices.Contains([]string{"message", "AdaptiveCard", "RichTextBlock", "TextRun", "Action.OpenUrl"}, text) {
					t.Errorf("Teams gets a %s", text)
				}
			case "url":
				if !strings.HasPrefix(text, s.workspace("acme")+"/sales") {
					t.Errorf("Teams is led to %s", text)
				}
			case "text":
				said.WriteString(text + "\n")
			default:
				if strings.Contains(text, "evil") || strings.ContainsFunc(text, unicode.IsControl) {
					t.Errorf("Teams gets %s in %s", text, path)
				}
			}
		}
	}
	showsAll(t, "Teams", said.String())
}
