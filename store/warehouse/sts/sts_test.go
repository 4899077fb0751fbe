package sts_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/sigv4"
	"service/store/warehouse/sts"
	"service/store/warehouse/sts/ststest"
)

// TestRole: credentials of a role are asked for once, and again before they end or when they were refused. Refusals are in our words.
func TestRole(t *testing.T) {
	t.Parallel()
	s := &ststest.Server{ID: "AKID", Secret: "s", Region: "eu-central-1", Fault: t.Errorf}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.Serve(w, r) }))
	defer h.Close()
	do := func(r *http.Request) (int, []byte, error) {
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, nil, err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		return response.StatusCode, body, err
	}
	target := warehouse.Target{User: "AKID", Password: "s", Role: ststest.Role + " " + ststest.External}
	for _, try := range []struct {
		lasts time.Duration
		anew  bool
		asked int
	}{{time.Hour, false, 1}, {time.Hour, true, 3}, {time.Minute, false, 3}} {
		k, err := sts.New(target, "eu-central-1", "athena")
		if err != nil {
			t.Fatal(err)
		}
		s.Asked, s.Lasts = 0, try.lasts
		for range 3 {
			signer, err := k.Signer(t.Context(), do, h.URL+"/", try.anew)
			want := sigv4.Signer{ID: ststest.ID, Secret: ststest.Secret, Token: ststest.Token, Region: "eu-central-1", Service: "athena"}
			if err != nil || signer != want {
				t.Errorf("%+v, %v", signer, err)
			}
		}
		if s.Asked != try.asked {
			t.Errorf("STS is asked %d times, want %d", s.Asked, try.asked)
		}
	}
	k, err := sts.New(target, "eu-central-1", "athena")
	if err != nil {
		t.Fatal(err)
	}
	for _, s.Refuse = range []string{"AccessDenied", "InvalidClientTokenId", "RegionDisabledException"} {
		if _, err := k.Signer(t.Context(), do, h.URL+"/", false); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", s.Refuse, err)
		}
	}
	target.Role = ""
	if k, err = sts.New(target, "eu-central-1", "athena"); err != nil {
		t.Fatal(err)
	}
	if signer, err := k.Signer(t.Context(), nil, "", true); err != nil || signer.ID != "AKID" || signer.Token != "" {
		t.Errorf("without a role: %+v, %v", signer, err)
	}
	for _, role := range []string{
		"dashboards", "arn:aws:iam::1:role/x", ststest.Role + " a b", ststest.Role + " <", "arn:aws:iam::123456789012:user/x",
	} {
		target.Role = role
		if _, err := sts.New(target, "eu-central-1", "athena"); err == nil || !strings.HasPrefix(err.Error(), "role must be") {
			t.Errorf("%s: %v", role, err)
		}
	}
}

// TestEndpoint: STS is next to the service of a connection; other vendors answer for both.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"athena.eu-central-1.amazonaws.com":   "https://sts.eu-central-1.amazonaws.com/",
		"acme.s3.cn-north-1.amazonaws.com.cn": "https://sts.eu-central-1.amazonaws.com.cn/",
		"minio.example.com":                   "https://minio.example.com:9000/",
		"amazonaws.com.example.com":           "https://minio.example.com:9000/",
	} {
		if got := sts.Endpoint(host, "https://minio.example.com:9000", "sts", "eu-central-1"); got != want {
			t.Errorf("%s: %s, want %s", host, got, want)
		}
	}
}
