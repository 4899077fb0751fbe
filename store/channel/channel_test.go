package channel

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

const evil = `<!channel> <@123> @everyone <https://evil.example|click> [click](https://evil.example) https://evil.example ` +
	`<img src=x onerror=alert(1)> <b>& **bold** # title`

// hostile is a content with as much of everything as there may be, and markup of each kind.
func hostile() *Content {
	c := &Content{Title: evil, Said: evil, From: evil, Why: evil, Link: "https://acme.service.example/sales?a=b&c=|>(x)", More: 7}
	for range 20 {
		c.Values = append(c.Values, Value{evil, evil})
	}
	for range 100 {
		c.Numbers = append(c.Numbers, Number{Name: evil, Value: evil, Change: evil})
		c.Sections = append(c.Sections, Section{evil, []string{strings.Repeat(evil, 50), evil}})
	}
	return c
}

// Each kind has all that the form, the store and the sender need, and an id of its own.
func TestKindsAreComplete(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, k := range Kinds {
		if slices.Contains(ids, k.ID) || k.ID == "" || k.Name == "" || k.ByMail != (k.URLLabel == "") || k.ByMail != (k.Write == nil) {
			t.Errorf("%+v", k)
		}
		ids = append(ids, k.ID)
		to := Target{}
		if !k.ByMail {
			to.URL = "https://hooks.example.com/x"
		}
		if k.Signed {
			to.Key = NewKey()
		}
		if err := to.Check(k.ID); err != nil {
			t.Errorf("%s: %v", k.ID, err)
		}
		if k.ByMail {
			continue
		}
		p, err := k.Write(hostile(), to, Attempt{Message: uuid.New(), At: time.Now()})
		if err != nil || !strings.HasPrefix(p.URL, to.URL) || len(p.Body) == 0 || k.Signed != (len(p.Header) > 0) {
			t.Errorf("%s: %v, %s, %v", k.ID, err, p.URL, p.Header)
		}
	}
	if _, ok := KindOf("pigeon"); ok {
		t.Error("there is a kind of pigeons")
	}
}
