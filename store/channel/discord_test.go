package channel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// discordMarkup matches a character that has a meaning in Discord and no backslash before it.
var discordMarkup = regexp.MustCompile("(^|[^\\\\])(\\\\\\\\)*[*_~`|>#\\[\\]()<@:]")

// discordStandIn answers as Discord does (Webhook Resource, "Execute Webhook"; Message Resource, "Embed Limits"): it refuses unknown
// keys, embeds over a limit and empty texts. It stores the embed of an accepted message in took.
func discordStandIn(t *testing.T, took *discordEmbed) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse := func(format string, args ...any) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"message": "Invalid Form Body", "code": 50035, "errors": %q}`, fmt.Sprintf(format, args...))
		}
		if r.URL.Path != "/api/webhooks/1/token" {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"message": "Unknown Webhook", "code": 10015}`)
			return
		}
		var m struct {
			Content string         `json:"content"`
			Embeds  []discordEmbed `json:"embeds"`
			Allowed *struct {
				Parse []string `json:"parse"`
			} `json:"allowed_mentions"`
		}
		d := json.NewDecoder(r.Body)
		d.DisallowUnknownFields()
		if err := d.Decode(&m); err != nil {
			refuse("%v", err)
			return
		}
		if len(m.Embeds) != 1 || m.Allowed == nil || m.Allowed.Parse == nil || len(m.Allowed.Parse) > 0 {
			refuse("%d embeds, mentions %+v", len(m.Embeds), m.Allowed)
			return
		}
		e := m.Embeds[0]
		sum := 0
		within := func(what, text string, most int) {
			n := utf8.RuneCountInString(text)
			if sum += n; n == 0 || n > most || strings.TrimSpace(text) != text {
				refuse("%s of %d characters, of %d", what, n, most)
			}
		}
		within("title", e.Title, 256)
		within("description", e.Description, 4096)
		for _, f := range e.Fields {
			within("name", f.Name, 256)
			within("value", f.Value, 1024)
		}
		if e.Footer != nil {
			within("footer", e.Footer.Text, 2048)
		}
		u, err := url.Parse(e.URL)
		if err != nil || u.Scheme != "https" || len(e.Fields) > 25 || sum > 6000 || e.Color < 0 || e.Color > 0xffffff {
			refuse("url %s, %d fields, %d characters, color %x", e.URL, len(e.Fields), sum, e.Color)
		}
		*took = e
		if r.URL.Query().Get("wait") != "true" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		fmt.Fprint(w, `{"id": "2"}`)
	}))
	t.Cleanup(server.Close)
	return server
}

// postDiscord writes a content and posts it, and returns the status and the answer.
func postDiscord(t *testing.T, c *Content, to string) (int, string) {
	t.Helper()
	p, err := discordKind().Write(c, Target{URL: to}, Attempt{})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(p.URL, "application/json", bytes.NewReader(p.Body)) //nolint:noctx // a test's own server
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

// Discord accepts the smallest message, an ordinary one and the largest ones. Texts are inert in it, and our link ends the description.
func TestDiscord(t *testing.T) {
	t.Parallel()
	var e discordEmbed
	server := discordStandIn(t, &e)
	const link = "https://acme.service.example/sales"
	long, plain := hostile(), hostile()
	for i := range plain.Numbers {
		plain.Numbers[i] = Number{Name: strings.Repeat("n", 1000), Value: strings.Repeat("1", 1000)}
	}
	plain.Title, plain.From, plain.Said = strings.Repeat("t", 1000), strings.Repeat("f", 1000), strings.Repeat("s", 10_000)
	long.Title, long.From, long.Said = strings.Repeat("ä", 1000), strings.Repeat("日", 1000), strings.Repeat("*", 10_000)
	for name, c := range map[string]*Content{
		"smallest": {Title: "T", Link: link},
		"ordinary": {
			Title: "Low revenue", Tone: Critical, Said: "Revenue was $812 on 21 Nov.", From: "Sales · Acme & Co", Link: link, More: 3,
			Values:  []Value{{"DE", "$12"}},
			Numbers: []Number{{Name: "Revenue", Value: "$812", Change: "-3 %"}, {Name: "Nothing"}},
		},
		"hostile": hostile(), "long": long, "long without markup": plain,
		"a long link": {Title: "T", Said: "S", Link: link + "?" + strings.Repeat("a", 5000)},
	} {
		status, answer := postDiscord(t, c, server.URL+"/api/webhooks/1/token?thread_id=7")
		if status != http.StatusOK || answer != `{"id": "2"}` {
			t.Errorf("%s: %d %s", name, status, answer)
		}
		if n := utf8.RuneCountInString(e.Description); n < 1000 && strings.HasPrefix(name, "long") {
			t.Errorf("%s: key figures leave %d characters to the description", name, n)
		}
		said, ours, _ := strings.Cut(e.Description, "[Open the dashboard](")
		if ours == "" && name != "a long link" || strings.ContainsAny(ours, "<>(") || strings.Count(ours, ")") > 1 {
			t.Errorf("%s: the link is %s", name, ours)
		}
		texts := []string{e.Title, said}
		for _, f := range e.Fields {
			texts = append(texts, f.Name, f.Value)
		}
		for _, text := range texts {
			if m := discordMarkup.FindString(text); m != "" {
				t.Errorf("%s: %q is markup in %.200s", name, m, text)
			}
		}
	}
	if status, answer := postDiscord(t, &Content{
		Title: "Low revenue", Tone: Critical, Said: "It is low.", From: "Sales · Acme", Link: link, Values: []Value{{"DE", "$12"}}, More: 3,
		Sections: []Section{{"Countries", []string{"DE leads", "FR follows"}}}, Numbers: []Number{{Name: "Revenue", Value: "$812"}},
	}, server.URL+"/api/webhooks/1/token"); status != http.StatusOK {
		t.Fatal(answer)
	}
	const want = "It is low.\n\nDE\\: \\$12\nand 3 more\n\nCountries\nDE leads\nFR follows\n\n[Open the dashboard](" + link + ")"
	if e.Title != "✖ Low revenue" || e.Description != want || e.Color != 0xb3261e || e.Footer.Text != "Sales · Acme" || e.URL != link ||
		len(e.Fields) != 1 || e.Fields[0] != (discordPair{"Revenue", "\\$812", true}) {
		t.Errorf("%+v", e)
	}
}

// Answers of Discord become sentences that name the fix, and are not repeated.
func TestDiscordRefuses(t *testing.T) {
	t.Parallel()
	var e discordEmbed
	server := discordStandIn(t, &e)
	status, answer := postDiscord(t, &Content{Title: "T", Link: "https://acme.service.example/"}, server.URL+"/api/webhooks/1/other")
	for _, tt := range []struct {
		status int
		answer string
		want   string
	}{
		{status, answer, "does not know this webhook"},
		{http.StatusUnauthorized, `{"message": "Invalid Webhook Token", "code": 50027}`, "does not know this webhook"},
		{http.StatusBadRequest, `{"message": "…", "code": 220001}`, "forum"},
		{http.StatusBadRequest, `{"message": "secret", "code": 50035}`, ""},
		{http.StatusForbidden, `<html>secret`, ""},
	} {
		got := discordKind().Refused(tt.status, tt.answer)
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) || strings.Contains(got, "secret") {
			t.Errorf("%d %s: %q, want %q", tt.status, tt.answer, got, tt.want)
		}
	}
}
