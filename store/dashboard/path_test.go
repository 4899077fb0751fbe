package dashboard_test

import (
	"regexp"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/message"
)

func TestPaths(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 65)
	for path, want := range map[string]struct{ slug, file, refusal string }{
		"sales":                     {"sales", "index.html", ""},
		"sales/index.html":          {"sales", "index.html", ""},
		"sales/q3_data-1.csv":       {"sales", "q3_data-1.csv", ""},
		"-":                         {"-", "index.html", ""},
		strings.Repeat("a", 64):     {strings.Repeat("a", 64), "index.html", ""},
		"":                          {refusal: "path must not be empty"},
		"a/b/c":                     {refusal: `path "a/b/c": must be <slug>/<filename> (exactly two segments)`},
		"a/":                        {refusal: `path "a/": must be <slug>/<filename> (exactly two segments)`},
		"a//b":                      {refusal: `path "a//b": must be <slug>/<filename> (exactly two segments)`},
		"/index.html":               {refusal: "slug must not be empty"},
		"Sales":                     {refusal: `slug "Sales" must match [a-z0-9-]`},
		"sälä":                      {refusal: `slug "sälä" must match [a-z0-9-]`},
		"a b/x.csv":                 {refusal: `slug "a b" must match [a-z0-9-]`},
		"sales/Data.csv":            {refusal: `filename "Data.csv" must match [a-z0-9._-]`},
		"sales/..":                  {refusal: `filename ".." must match [a-z0-9._-]`},
		"sales/a\"b":                {refusal: `filename "a"b" must match [a-z0-9._-]`},
		long:                        {refusal: "slug exceeds 64-char limit (got 65)"},
		strings.Repeat("ä", 65):     {refusal: `slug "` + strings.Repeat("ä", 65) + `" must match [a-z0-9-]`},
		"acme/sales":                {"acme", "sales", ""}, // a workspace is never part of a path: this is a file
		"https://acme.example/page": {refusal: `path "https://acme.example/page": must be <slug>/<filename> (exactly two segments)`},
	} {
		slug, file, err := dashboard.ParsePath(path)
		no, _ := message.As(err)
		switch {
		case want.refusal == "" && (err != nil || slug != want.slug || file != want.file):
			t.Errorf("%q: %q %q, %v", path, slug, file, err)
		case want.refusal != "" && (no == nil || no.Error() != want.refusal):
			t.Errorf("%q: %v\nwant %s", path, err, want.refusal)
		}
	}
}

func TestReservedSlugsAreRefusedByName(t *testing.T) {
	t.Parallel()
	for _, slug := range []string{
		"healthz", "mcp", "register", "authorize", "token", "sign-in", "sign-out", "assets", "static",
		"robots-txt", "favicon-ico",
	} {
		if err := dashboard.CheckNewSlug(slug); err == nil || err.Error() != `slug "`+slug+`" is reserved` {
			t.Errorf("%s: %v", slug, err)
		}
		if err := dashboard.CheckSlug(slug); err != nil {
			t.Errorf("%s cannot be looked up: %v", slug, err)
		}
	}
	if err := dashboard.CheckNewSlug("A"); err == nil || err.Error() != `slug "A" must match [a-z0-9-]` {
		t.Error(err)
	}
}

// FuzzParsePath compares the rules with the patterns of the specification.
func FuzzParsePath(f *testing.F) {
	for _, seed := range []string{"sales", "a/b.csv", "", "/", "ä", "a\x00", strings.Repeat("x", 70)} {
		f.Add(seed)
	}
	slugs, files := regexp.MustCompile(`^[a-z0-9-]{1,64}$`), regexp.MustCompile(`^[a-z0-9._-]+$`)
	f.Fuzz(func(t *testing.T, path string) {
		slug, file, err := dashboard.ParsePath(path)
		wantSlug, wantFile, two := strings.Cut(path, "/")
		if !two {
			wantFile = dashboard.DefaultFile
		}
		fits := slugs.MatchString(wantSlug) && files.MatchString(wantFile) && wantFile != "." && wantFile != ".."
		if fits != (err == nil) || fits && (slug != wantSlug || file != wantFile) {
			t.Errorf("%q: %q %q, %v", path, slug, file, err)
		}
	})
}
