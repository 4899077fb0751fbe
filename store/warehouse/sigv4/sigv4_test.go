package sigv4

import (
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestSignature signs requests of AWS's published test suite for Signature Version 4 (aws-sig-v4-test-suite), by their names there.
func TestSignature(t *testing.T) {
	t.Parallel()
	s := Signer{ID: "AKIDEXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", Region: "us-east-1", Service: "service"}
	now := time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC)
	for name, try := range map[string]struct {
		method, query, body string
		header              http.Header
		signed, signature   string
	}{
		"get-vanilla": {
			method: "GET", signed: "host;x-amz-date", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
		},
		"post-vanilla": {
			method: "POST", signed: "host;x-amz-date", signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
		},
		"get-vanilla-query-order-key-case": {
			method: "GET", query: "?Param2=value2&Param1=value1", signed: "host;x-amz-date",
			signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
		},
		"post-header-value-case": {
			method: "POST", header: http.Header{"My-Header1": {"VALUE1"}}, signed: "host;my-header1;x-amz-date",
			signature: "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d",
		},
		"post-x-www-form-urlencoded": {
			method: "POST", body: "Param1=value1", header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
			signed: "content-type;host;x-amz-date", signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
		},
	} {
		r, err := http.NewRequest(try.method, "https://example.amazonaws.com/"+try.query, strings.NewReader(try.body))
		if err != nil {
			t.Fatal(err)
		}
		for key, values := range try.header {
			r.Header[key] = values
		}
		s.Sign(r, []byte(try.body), now)
		want := "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=" + try.signed +
			", Signature=" + try.signature
		if got := r.Header.Get("Authorization"); got != want || r.Header.Get("X-Amz-Date") != "20150830T123600Z" {
			t.Errorf("%s:\n%s, want\n%s", name, got, want)
		}
	}
	s.Service = "iam"
	// The key of the example in "Calculate the signature".
	if got := hex.EncodeToString(s.key(now)); got != "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9" {
		t.Error(got)
	}
}

// TestCanonical: parameters are encoded before they are sorted, spaces become %20, and a path keeps its slashes.
func TestCanonical(t *testing.T) {
	t.Parallel()
	r, err := http.NewRequest(http.MethodGet, "https://example.amazonaws.com/a b/c~d?b=%20x&a=*&a=%2F&%C3%A9=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := canonicalPath(r.URL); got != "/a%20b/c~d" {
		t.Error(got)
	}
	if got := canonicalQuery(r.URL); got != "%C3%A9=1&a=%2A&a=%2F&b=%20x" {
		t.Error(got)
	}
	r.Header["X-A"] = []string{" b   c ", "d"}
	if got, names := canonicalHeaders(r); got != "host:example.amazonaws.com\nx-a:b c,d\n" || names != "host;x-a" {
		t.Errorf("%q, %s", got, names)
	}
}
