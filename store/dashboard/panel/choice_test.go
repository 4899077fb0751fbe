package panel

import (
	"net/url"
	"testing"
)

func queried(t *testing.T, v Input, query string) Input {
	t.Helper()
	var err error
	if v.Query, err = url.ParseQuery(query); err != nil {
		t.Fatal(err)
	}
	return v
}
