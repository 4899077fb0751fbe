package linked_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"service/store/warehouse"
	"service/store/warehouse/sts/ststest"
)

const (
	keyID  = "AKIDEXAMPLE"
	secret = "wJalrXUtnFEMI/s3cret/bPxRfiCYEXAMPLEKEY"
	bucket = "acme"
)

// A content is a file of a stand-in.
type content interface {
	io.ReaderAt
	Size() int64
}

// A standIn is a host of files. With keys it answers as the "Amazon S3 API Reference" has GetObject and ListObjectsV2, and checks
// signatures as "Authenticating Requests (AWS Signature Version 4)" has it; without, as RFC 9110 has GET, ranges and conditions. A request
// that they do not allow fails the test.
type standIn struct {
	testing.TB
	http *httptest.Server
	s3   bool
	bare bool            // it has neither ranges nor states
	sts  *ststest.Server // requests are signed with the credentials of a role, which it gives; nil for the access key

	mu     sync.Mutex
	files  map[string]content // by path, without the bucket
	states map[string]int     // of files
	sent   map[string]int64   // bytes of files
	asks   []string           // "GET path range", with "304" if it had not changed
	before func(w http.ResponseWriter, r *http.Request, path string) (answered bool)
}

func newStandIn(t testing.TB, s3 bool, files map[string]content) *standIn {
	s := &standIn{TB: t, s3: s3, files: files, states: map[string]int{}, sent: map[string]int64{}}
	s.http = httptest.NewTLSServer(s)
	s.http.Config.ErrorLog = nil
	t.Cleanup(func() {
		s.http.CloseClientConnections()
		s.http.Close()
	})
	return s
}

// target returns a target with these files, one a line.
func (s *standIn) target(place string) warehouse.Target {
	at := netip.MustParseAddrPort(s.http.Listener.Addr().String())
	t := warehouse.Target{Host: at.Addr().String(), Port: int(at.Port()), TLS: warehouse.TLSRequire, Place: place}
	if s.s3 {
		t.User, t.Password, t.Database = keyID, secret, "eu-central-1/"+bucket
	}
	return t
}

// put replaces a file.
func (s *standIn) put(path string, c content) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[path] = c
	s.states[path]++
}

// intercept has f see requests first.
func (s *standIn) intercept(f func(w http.ResponseWriter, r *http.Request, path string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = f
}

// total returns the bytes of files that were sent, and forgets them with the requests.
func (s *standIn) total() (n int64, asks []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, sent := range s.sent {
		n += sent
		delete(s.sent, path)
	}
	asks, s.asks = s.asks, nil
	return n, asks
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/")
	if s.s3 {
		if s.sts != nil && s.sts.Serve(w, r) {
			return
		}
		keys, empty := map[string]string{keyID: secret}, sha256.Sum256(nil)
		if s.sts != nil {
			keys = map[string]string{ststest.ID: ststest.Secret}
		}
		why := ststest.Signed(r, nil, keys, "s3", "eu-central-1")
		if sum := r.Header.Get("X-Amz-Content-Sha256"); sum != hex.EncodeToString(empty[:]) { // "required for all … requests"
			why = "the hash of its body is " + sum
		}
		if why != "" {
			s.Errorf("%s %s: %s", r.Method, r.URL, why)
			w.WriteHeader(http.StatusForbidden)
			return
		}
		var ok bool
		if path, ok = strings.CutPrefix(path, bucket+"/"); !ok {
			s.refuse(w, http.StatusNotFound, "NoSuchBucket")
			return
		}
	}
	s.mu.Lock()
	before, file, state := s.before, s.files[path], s.states[path]
	s.mu.Unlock()
	if body, err := io.ReadAll(r.Body); r.Method != http.MethodGet || len(body) > 0 || err != nil {
		s.Errorf("%s %s: only GET without a body is needed", r.Method, r.URL)
	}
	switch {
	case before != nil && before(w, r, path):
	case path == "" && s.s3:
		s.list(w, r)
	case file == nil:
		s.refuse(w, http.StatusNotFound, "NoSuchKey")
	default:
		s.object(w, r, path, file, state)
	}
}

func (s *standIn) refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>s3cret</Message></Error>", code)
}

// list is ListObjectsV2, with pages of two files.
func (s *standIn) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	for name := range q {
		if !slices.Contains([]string{"list-type", "prefix", "continuation-token"}, name) {
			s.Errorf("ListObjectsV2: %s", name)
		}
	}
	if q.Get("list-type") != "2" {
		s.Errorf("ListObjectsV2: list-type is %q", q.Get("list-type"))
	}
	type object struct {
		Key  string
		Size int64
	}
	var answer struct {
		XMLName               xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListBucketResult"`
		Name, Prefix          string
		IsTruncated           bool
		NextContinuationToken string `xml:",omitempty"`
		Contents              []object
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks = append(s.asks, "LIST "+q.Get("prefix"))
	answer.Name, answer.Prefix = bucket, q.Get("prefix")
	for path, file := range s.files {
		if strings.HasPrefix(path, answer.Prefix) && path > q.Get("continuation-token") {
			answer.Contents = append(answer.Contents, object{path, file.Size()})
		}
	}
	slices.SortFunc(answer.Contents, func(a, b object) int { return strings.Compare(a.Key, b.Key) })
	if len(answer.Contents) > 2 {
		answer.Contents, answer.IsTruncated = answer.Contents[:2], true
		answer.NextContinuationToken = answer.Contents[1].Key
	}
	w.Header().Set("Content-Type", "application/xml")
	xml.NewEncoder(w).Encode(answer)
}

// object is GetObject with Range, If-Match, If-None-Match and their like.
func (s *standIn) object(w http.ResponseWriter, r *http.Request, path string, file content, state int) {
	etag := fmt.Sprintf(`"%s-%d"`, strings.ReplaceAll(path, "/", "-"), state)
	if r.Header.Get("Accept-Encoding") != "identity" {
		s.Errorf("Accept-Encoding is %q", r.Header.Get("Accept-Encoding"))
	}
	if s.bare {
		r.Header.Del("Range")
		r.Header.Del("If-None-Match")
	} else {
		w.Header().Set("ETag", etag)
	}
	note := func(more string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asks = append(s.asks, strings.TrimSpace("GET "+path+" "+more))
	}
	switch match := r.Header.Get("If-Match"); {
	case match != "" && match != etag:
		note("412")
		s.refuse(w, http.StatusPreconditionFailed, "PreconditionFailed")
		return
	case r.Header.Get("If-None-Match") == etag:
		note("304")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	from, to, status := int64(0), file.Size(), http.StatusOK
	if asked := r.Header.Get("Range"); asked != "" {
		m := regexp.MustCompile(`^bytes=([0-9]*)-([0-9]+)$`).FindStringSubmatch(asked)
		if m == nil {
			s.Errorf("Range is %q", asked)
			return
		}
		last, _ := strconv.ParseInt(m[2], 10, 64)
		if m[1] == "" {
			from = max(0, to-last)
		} else {
			from, _ = strconv.ParseInt(m[1], 10, 64)
			to = min(to, last+1)
		}
		status = http.StatusPartialContent
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to-1, file.Size()))
		note(asked)
	} else {
		note("")
	}
	w.Header().Set("Content-Length", strconv.FormatInt(to-from, 10))
	w.WriteHeader(status)
	n, _ := io.Copy(w, io.NewSectionReader(file, from, to-from))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent[path] += n
}

// text is a file of a text.
func text(s string) content { return bytes.NewReader([]byte(s)) }
