package athena

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A signer signs requests by Signature Version 4: "Create a signed AWS API request" in the IAM User Guide.
type signer struct {
	id, secret      string // of an access key
	region, service string
}

// The layouts of times.
const (
	stamp = "20060102T150405Z"
	day   = "20060102"
)

// sign adds X-Amz-Date and Authorization to the headers of a request. It signs the headers that it has then, and its body.
func (s signer) sign(r *http.Request, body []byte, now time.Time) {
	now = now.UTC()
	r.Header.Set("X-Amz-Date", now.Format(stamp))
	headers, signed := canonicalHeaders(r)
	canonical := strings.Join([]string{r.Method, canonicalPath(r.URL), canonicalQuery(r.URL), headers, signed, digest(body)}, "\n")
	scope := strings.Join([]string{now.Format(day), s.region, s.service, "aws4_request"}, "/")
	text := strings.Join([]string{"AWS4-HMAC-SHA256", now.Format(stamp), scope, digest([]byte(canonical))}, "\n")
	signature := hex.EncodeToString(mac(s.key(now), text))
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+s.id+"/"+scope+", SignedHeaders="+signed+", Signature="+signature)
}

// key derives the key of a day, region and service: "Calculate the signature".
func (s signer) key(now time.Time) []byte {
	key := mac([]byte("AWS4"+s.secret), now.UTC().Format(day))
	for _, part := range []string{s.region, s.service, "aws4_request"} {
		key = mac(key, part)
	}
	return key
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// unsigned are headers that are left out, because they may change on the way or are set when the request is sent.
var unsigned = []string{"authorization", "user-agent", "accept", "accept-encoding", "connection"}

// canonicalHeaders returns a line for each header, in order of their names, and the names.
func canonicalHeaders(r *http.Request) (lines, names string) {
	values := map[string]string{"host": r.Host}
	for name, all := range r.Header {
		if name = strings.ToLower(name); !slices.Contains(unsigned, name) {
			for i := range all {
				all[i] = strings.Join(strings.Fields(all[i]), " ")
			}
			values[name] = strings.Join(all, ",")
		}
	}
	if values["host"] == "" {
		values["host"] = r.URL.Host
	}
	var sorted []string
	for name := range values {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	var b strings.Builder
	for _, name := range sorted {
		b.WriteString(name + ":" + values[name] + "\n")
	}
	return b.String(), strings.Join(sorted, ";")
}

// canonicalPath returns the path, each of whose parts is encoded.
func canonicalPath(u *url.URL) string {
	if u.Path == "" {
		return "/"
	}
	parts := strings.Split(u.Path, "/")
	for i, part := range parts {
		parts[i] = encoded(part)
	}
	return strings.Join(parts, "/")
}

// canonicalQuery returns the parameters, encoded and then sorted.
func canonicalQuery(u *url.URL) string {
	var all []string
	for name, values := range u.Query() {
		for _, value := range values {
			all = append(all, encoded(name)+"="+encoded(value))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "&")
}

// encoded encodes each byte but unreserved characters (RFC 3986, 2.3).
func encoded(text string) string {
	return strings.NewReplacer("+", "%20", "%7E", "~").Replace(url.QueryEscape(text))
}
