package postgres_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/postgres"
	"service/store/warehouse/sts/ststest"
)

// An awsIAM answers GetClusterCredentialsWithIAM as the "Amazon Redshift API Reference" has it, GetCredentials as that of Redshift
// Serverless, and AssumeRole. A request that they do not allow fails the test.
type awsIAM struct {
	testing.TB
	sts    *ststest.Server
	keys   map[string]string // that may ask for passwords
	asked  int
	lasts  time.Duration
	refuse string
}

const (
	iamKey    = "AKIAEXAMPLEEXAMPLE"
	iamSecret = "iam/s3cret"
)

func (s *awsIAM) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.Error(err)
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	form, _ := url.ParseQuery(string(body))
	until := time.Now().Add(s.lasts).UTC()
	switch {
	case form.Get("Action") == "AssumeRole":
		s.sts.Serve(w, r)
		return
	case form.Get("Action") == "GetClusterCredentialsWithIAM":
		s.check(r, body, "redshift")
		want := url.Values{
			"Action": {"GetClusterCredentialsWithIAM"}, "Version": {"2012-12-01"}, "ClusterIdentifier": {"sales"}, "DbName": {"postgres"},
			"DurationSeconds": {"900"},
		}
		if form.Encode() != want.Encode() {
			s.Errorf("a password is asked for with %s", body)
		}
		if s.refuse != "" {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `<ErrorResponse><Error><Code>%s</Code><Message>s3cret</Message></Error></ErrorResponse>`, s.refuse)
			return
		}
		fmt.Fprintf(w, `<GetClusterCredentialsWithIAMResponse xmlns="http://redshift.amazonaws.com/doc/2012-12-01/">`+
			`<GetClusterCredentialsWithIAMResult><DbUser>IAM:dashboards</DbUser><DbPassword>made-pass</DbPassword><Expiration>%s</Expiration>`+
			`<NextRefreshTime>%[1]s</NextRefreshTime></GetClusterCredentialsWithIAMResult></GetClusterCredentialsWithIAMResponse>`,
			until.Format(time.RFC3339))
	case r.Header.Get("X-Amz-Target") == "RedshiftServerless.GetCredentials":
		s.check(r, body, "redshift-serverless")
		var ask map[string]any
		if json.Unmarshal(body, &ask) != nil || r.Header.Get("Content-Type") != "application/x-amz-json-1.1" ||
			fmt.Sprint(ask) != "map[dbName:postgres durationSeconds:900 workgroupName:shop]" {
			s.Errorf("a password is asked for with %s", body)
		}
		if s.refuse != "" {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"__type": "%s", "message": "s3cret"}`, s.refuse)
			return
		}
		fmt.Fprintf(w, `{"dbUser": "IAM:dashboards", "dbPassword": "made-pass", "expiration": %d.123}`, until.Unix())
	default:
		s.Errorf("%s %s: %s", r.Method, r.URL, body)
		w.WriteHeader(http.StatusBadRequest)
	}
	s.asked++
}

func (s *awsIAM) check(r *http.Request, body []byte, service string) {
	if why := ststest.Signed(r, body, s.keys, service, "eu-central-1"); why != "" || r.Method != http.MethodPost || r.URL.Path != "/" {
		s.Errorf("a signature that is not good: %s", why)
	}
}

// TestRedshiftIAM: an access key, or a role that it assumes, gets the user and the password of a cluster and of a workgroup. They are asked
// for once, and again before they end.
func TestRedshiftIAM(t *testing.T) {
	t.Parallel()
	server, admin := startRedshift(t)
	if _, err := admin.Exec(t.Context(), `
		CREATE ROLE "IAM:dashboards" LOGIN PASSWORD 'made-pass'; GRANT SELECT ON orders TO "IAM:dashboards"`); err != nil {
		t.Fatal(err)
	}
	const (
		cluster   = "sales.abc123.eu-central-1.redshift.amazonaws.com"
		workgroup = "shop.123456789012.eu-central-1.redshift-serverless.amazonaws.com"
	)
	for _, role := range []string{"", ststest.Role + " " + ststest.External} {
		for _, named := range []string{cluster, workgroup} {
			aws := &awsIAM{TB: t, keys: map[string]string{iamKey: iamSecret}, lasts: 15 * time.Minute}
			aws.sts = &ststest.Server{ID: iamKey, Secret: iamSecret, Region: "eu-central-1", Fault: t.Errorf}
			if role != "" {
				aws.keys = map[string]string{ststest.ID: ststest.Secret}
			}
			h := httptest.NewServer(aws)
			defer h.Close()
			target := warehouse.Target{
				Host: "127.0.0.1", Port: server.Port, Database: "postgres", User: iamKey, Password: iamSecret, Role: role, TLS: warehouse.TLSOff,
			}
			open := func(d warehouse.Dialer) *postgres.Redshift {
				c, err := postgres.OpenRedshiftIAM(target, d, named, h.URL)
				if err != nil {
					t.Fatal(err)
				}
				return c
			}
			c := open(warehouse.Dialer{AllowPrivate: true})
			for range 3 {
				facts, err := warehouse.Facts(t.Context(), c, "redshift", target)
				if err != nil || !slices.Contains(facts, warehouse.Fact{Name: "signed in as", Value: "IAM:dashboards"}) ||
					!strings.Contains(fmt.Sprint(facts), "{sign-in IAM") {
					t.Errorf("%s: %v, %v", named, facts, err)
				}
			}
			if want := 0; aws.asked != 1 || (role != "") != (aws.sts.Asked > want) {
				t.Errorf("%s: a password is asked for %d times, a role %d times", named, aws.asked, aws.sts.Asked)
			}
			aws.lasts = 30 * time.Second
			c = open(warehouse.Dialer{AllowPrivate: true})
			for range 2 {
				if err := c.Ping(t.Context()); err != nil {
					t.Error(err)
				}
			}
			if aws.asked != 3 {
				t.Errorf("%s: passwords that end soon are asked for %d times", named, aws.asked-1)
			}
			for code, class := range map[string]warehouse.Class{
				"AccessDenied": warehouse.Auth, "InvalidClientTokenId": warehouse.Auth, "ClusterNotFound": warehouse.Connect,
				"ResourceNotFoundException": warehouse.Connect, "Throttling": warehouse.Busy,
			} {
				aws.refuse = code
				err := open(warehouse.Dialer{AllowPrivate: true}).Ping(t.Context())
				if bad, ok := err.(*warehouse.Error); !ok || bad.Class != class || strings.Contains(bad.Message, "s3cret") {
					t.Errorf("%s: %v", code, err)
				}
			}
			if err := open(warehouse.Dialer{}).Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "private") {
				t.Errorf("a private address is dialled: %v", err)
			}
		}
	}
}

// TestRedshiftIAMTargets: bad input is refused at its field.
func TestRedshiftIAMTargets(t *testing.T) {
	t.Parallel()
	good := warehouse.Target{Host: "sales.abc123.eu-central-1.redshift.amazonaws.com", Database: "dev", User: iamKey, Password: "x"}
	for want, change := range map[string]func(t *warehouse.Target){
		"":                        func(*warehouse.Target) {},
		"host must be":            func(t *warehouse.Target) { t.Host = "redshift.example.com" },
		"user must be":            func(t *warehouse.Target) { t.User, t.Role = "dashboards", ststest.Role },
		"database must not":       func(t *warehouse.Target) { t.Database = "" },
		"role must be the ARN of": func(t *warehouse.Target) { t.Role = "dashboards" },
	} {
		target := good
		change(&target)
		_, err := postgres.OpenRedshift(target, warehouse.Dialer{})
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
