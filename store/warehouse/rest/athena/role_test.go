package athena_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/rest/athena"
	"service/store/warehouse/rest/resttest"
	"service/store/warehouse/sts/ststest"
)

// TestRole: the access key assumes the role once for a connector, again when Athena refuses the credentials, and signs nothing for Athena
// itself. A role that may not be assumed is a refusal of the credentials.
func TestRole(t *testing.T) {
	t.Parallel()
	s := startAs(t, 1<<30, true)
	sts := &ststest.Server{ID: keyID, Secret: secret, Region: "eu-central-1", Fault: t.Errorf}
	expired := 0
	s.Before(func(w http.ResponseWriter, r *http.Request) bool {
		if sts.Serve(w, r) {
			return true
		}
		if expired > 0 && operation(r) == "GetWorkGroup" {
			expired--
			refuse(w, resttest.Err(http.StatusForbidden, "ExpiredTokenException", "s3cret"))
			return true
		}
		return false
	})
	target := s.TargetAt("")
	target.Role = ststest.Role + " " + ststest.External
	c, err := athena.Open(target, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	for expired = range 2 {
		if rows, bad := resttest.Ask(t, c, resttest.One, time.Minute); bad != nil || len(rows.Rows) != 1 {
			t.Errorf("%v, %v", rows, bad)
		}
	}
	if sts.Asked != 2 {
		t.Errorf("STS is asked %d times", sts.Asked)
	}
	facts, err := warehouse.Facts(t.Context(), c, "athena", target)
	if err != nil || !strings.HasPrefix(facts[2].Value, "role") {
		t.Errorf("%v, %v", facts, err)
	}
	sts.Refuse = "AccessDenied"
	if c, err = athena.Open(target, warehouse.Dialer{AllowPrivate: true}); err != nil {
		t.Fatal(err)
	}
	_, bad := resttest.Ask(t, c, resttest.One, time.Minute)
	if bad == nil || bad.Class != warehouse.Auth || !strings.Contains(bad.Message, "role") {
		t.Errorf("%v", bad)
	}
}
