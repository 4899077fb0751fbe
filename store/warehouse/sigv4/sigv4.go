package sigv4

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

// A Signer signs requests with an access key for one service in one region.
type Signer struct {
	ID, Secret      string // of the access key
	Token           string // the session token of temporary credentials; empty for others
	Region, Service string // as in eu-central-1 and athena
}

// Layout is the layout of X-Amz-Date.
const Layout = "20060102T150405Z"

const day = "20060102"

// Sign adds X-Amz-Date, Authorization and, with a session token, X-Amz-Security-Token to the headers of a request. It signs the headers
// that the request has then, and its body. S3 requires a header with the hash of the body too.
func (s Signer) Sign(r *http.Request, body []byte, now time.Time) {
	now = now.UTC()
	r.Header.Set("X-Amz-Date", now.Format(Layout))
	if s.Token != "" {
		r.Header.Set("X-Amz-Security-Token", s.Token)
	}
	if s.Service == "s3" {
		r.Header.Set("X-Amz-Content-Sha256", digest(body))
	}
	headers, signed := canonicalHeaders(r)
	canonical := strings.Join([]string{r.Method, canonicalPath(r.URL), canonicalQuery(r.URL), headers, signed, digest(body)}, "\n")
	scope := strings.Join([]string{now.Format(day), s.Region, s.Service, "aws4_request"}, "/")
	text := strings.Join([]string{"AWS4-HMAC-SHA256", now.Format(Layout), scope, digest([]byte(canonical))}, "\n")
	signature := hex.EncodeToString(mac(s.key(now), text))
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+s.ID+"/"+scope+", SignedHeaders="+signed+", Signature="+signature)
}

// key derives the key of a day, region and service: "Calculate the signature".
func (s Signer) key(now time.Time) []byte {
	key := mac([]byte("AWS4"+s.Secret), now.UTC().Format(day))
	for _, part := range []string{s.Region, s.Service, "aws4_request"} {
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
