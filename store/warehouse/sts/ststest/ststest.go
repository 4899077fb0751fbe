package ststest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"service/store/warehouse/sigv4"
)

// The temporary credentials that the stand-in gives.
const (
	ID     = "ASIATEMPORARY"
	Secret = "temporary/s3cret"
	Token  = "FwoGZXIvYXdzEB0a//s3cret=="
)

// Role and External are the role that may be assumed, and its external id.
const (
	Role     = "arn:aws:iam::123456789012:role/teams/dashboards"
	External = "acme-4711"
)

// authorization matches the header of a signature.
var authorization = regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=([A-Z]+)/([0-9]{8})/([a-z0-9-]+)/([a-z0-9-]+)/aws4_request, ` +
	`SignedHeaders=([a-z0-9;-]+), Signature=[0-9a-f]{64}$`)

// Signed returns the fault of the signature of a request with a body, or "". The signature must be by one of keys (ids and secrets) for a
// service in a region: "Create a signed AWS API request". Temporary credentials need their token.
func Signed(r *http.Request, body []byte, keys map[string]string, service, region string) string {
	m := authorization.FindStringSubmatch(r.Header.Get("Authorization"))
	at, err := time.Parse(sigv4.Layout, r.Header.Get("X-Amz-Date"))
	switch {
	case m == nil || err != nil:
		return fmt.Sprintf("%s, %v", r.Header.Get("Authorization"), err)
	case keys[m[1]] == "" || m[3] != region || m[4] != service:
		return "it is by " + m[1] + " for " + m[4] + " in " + m[3]
	case time.Since(at).Abs() > 5*time.Minute || m[2] != at.Format("20060102"):
		return "its time is " + at.String()
	case (m[1] == ID) != (r.Header.Get("X-Amz-Security-Token") == Token):
		return "its token is " + r.Header.Get("X-Amz-Security-Token")
	}
	again, err := http.NewRequest(r.Method, "https://"+r.Host+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return err.Error()
	}
	signed := strings.Split(m[5], ";")
	for _, name := range signed {
		if name != "host" {
			again.Header[http.CanonicalHeaderKey(name)] = slices.Clone(r.Header.Values(name))
		}
	}
	// "You must include the host header … and any x-amz-* headers."
	for name := range r.Header {
		if name = strings.ToLower(name); (strings.HasPrefix(name, "x-amz-") || name == "content-type") && !slices.Contains(signed, name) {
			return name + " is not signed"
		}
	}
	signer := sigv4.Signer{ID: m[1], Secret: keys[m[1]], Region: region, Service: service}
	if m[1] == ID {
		signer.Token = Token
	}
	signer.Sign(again, body, at)
	if again.Header.Get("Authorization") != r.Header.Get("Authorization") {
		return "it is of another request"
	}
	return ""
}

// A Server answers AssumeRole as the "AWS Security Token Service API Reference" describes.
type Server struct {
	ID, Secret, Region string // of the access key that may assume [Role]
	Refuse             string // the code of the error with which it answers; empty for none
	Lasts              time.Duration
	Asked              int
	Fault              func(format string, args ...any) // reports a request that the reference does not allow
}

// Serve answers a request, and reports whether it was one of STS.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
		return false
	}
	s.Asked++
	body, err := io.ReadAll(r.Body)
	form, err2 := url.ParseQuery(string(body))
	want := url.Values{
		"Action": {"AssumeRole"}, "Version": {"2011-06-15"}, "RoleArn": {Role}, "RoleSessionName": {"service"}, "DurationSeconds": {"3600"},
		"ExternalId": {External},
	}
	why := Signed(r, body, map[string]string{s.ID: s.Secret}, "sts", s.Region)
	if why != "" || err != nil || err2 != nil || r.URL.Path != "/" {
		s.Fault("STS is asked with a signature that is not good: %s, %v, %v", why, err, err2)
	}
	if form.Encode() != want.Encode() {
		s.Fault("STS is asked with %s", body)
	}
	w.Header().Set("Content-Type", "text/xml")
	if s.Refuse != "" {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>%s</Code>`+
			`<Message>s3cret</Message></Error><RequestId>1</RequestId></ErrorResponse>`, s.Refuse)
		return true
	}
	lasts := s.Lasts
	if lasts == 0 {
		lasts = time.Hour
	}
	fmt.Fprintf(w, `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><AssumedRoleUser>`+
		`<AssumedRoleId>AROA:service</AssumedRoleId><Arn>arn:aws:sts::123456789012:assumed-role/dashboards/service</Arn></AssumedRoleUser>`+
		`<Credentials><AccessKeyId>%s</AccessKeyId><SecretAccessKey>%s</SecretAccessKey><SessionToken>%s</SessionToken>`+
		`<Expiration>%s</Expiration></Credentials></AssumeRoleResult><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata>`+
		`</AssumeRoleResponse>`, ID, Secret, Token, time.Now().Add(lasts).UTC().Format(time.RFC3339))
	return true
}
