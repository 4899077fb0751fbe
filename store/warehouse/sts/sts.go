package sts

import (
	"bytes"
	"context"
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"service/store/message"
	"service/store/pattern"
	"service/store/warehouse"
	"service/store/warehouse/sigv4"
)

// A Do sends a request and returns the answer, with any status and a bounded body. It dials as connections are dialled.
type Do func(r *http.Request) (status int, body []byte, err error)

// arn matches the name of a role, and external an external id: "AssumeRole" in the "AWS Security Token Service API Reference".
var (
	arn      = pattern.New(`^arn:aws(-[a-z]+)*:iam::[0-9]{12}:role/[\w+=,.@/-]{1,512}$`)
	external = pattern.New(`^[\w+=,.@:/-]{2,1000}$`)
)

// Keys are an access key, and the role that it assumes. They are safe for concurrent use.
type Keys struct {
	Base     sigv4.Signer // for the service that is asked
	role, id string       // its name, and the external id; empty for none
	now      func() time.Time

	mu    sync.Mutex
	got   sigv4.Signer
	until time.Time
}

// New returns the keys of a target: its user and its password are an access key, and its role is empty, or the ARN of a role,
// followed by a space and the external id if the role needs one. The error is a refusal.
func New(t warehouse.Target, region, service string) (*Keys, error) {
	k := &Keys{Base: sigv4.Signer{ID: t.User, Secret: t.Password, Region: region, Service: service}, now: time.Now}
	words := strings.Fields(t.Role)
	switch {
	case len(words) == 0:
		return k, nil
	case !arn.MatchString(words[0]):
		return nil, message.Refuse("role must be the ARN of a role, as in arn:aws:iam::123456789012:role/dashboards")
	case len(words) > 2 || len(words) == 2 && !external.MatchString(words[1]):
		return nil, message.Refuse("role must be an ARN, or an ARN, a space and the external id of the role")
	}
	k.role = words[0]
	if len(words) == 2 {
		k.id = words[1]
	}
	return k, nil
}

// Assumes reports whether the keys are those of a role.
func (k *Keys) Assumes() bool { return k.role != "" }

// Endpoint returns the address of a service in a region next to the host of a connection. Hosts of other vendors answer for all services at
// base.
func Endpoint(host, base, service, region string) string {
	for _, domain := range []string{"amazonaws.com", "amazonaws.com.cn"} {
		if strings.HasSuffix(strings.ToLower(host), "."+domain) {
			return "https://" + service + "." + region + "." + domain + "/"
		}
	}
	return base + "/"
}

// spare is how long before their expiry credentials are no longer used.
const spare = 2 * time.Minute

// Signer returns the signer of requests: the access key, or the credentials of the role. It requests these from an endpoint of STS if it
// has not requested any or if anew is set.
func (k *Keys) Signer(ctx context.Context, do Do, endpoint string, anew bool) (sigv4.Signer, error) {
	if k.role == "" {
		return k.Base, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !anew && k.got.ID != "" && k.now().Add(spare).Before(k.until) {
		return k.got, nil
	}
	form := url.Values{
		"Action": {"AssumeRole"}, "Version": {"2011-06-15"}, "RoleArn": {k.role}, "RoleSessionName": {"service"}, "DurationSeconds": {"3600"},
	}
	if k.id != "" {
		form.Set("ExternalId", k.id)
	}
	sts := k.Base
	sts.Service = "sts"
	status, body, err := Post(ctx, do, endpoint, sts, k.now(), form)
	if err != nil {
		return sigv4.Signer{}, err
	}
	var answer struct {
		XMLName xml.Name  `xml:"AssumeRoleResponse"`
		ID      string    `xml:"AssumeRoleResult>Credentials>AccessKeyId"`
		Secret  string    `xml:"AssumeRoleResult>Credentials>SecretAccessKey"`
		Token   string    `xml:"AssumeRoleResult>Credentials>SessionToken"`
		Until   time.Time `xml:"AssumeRoleResult>Credentials>Expiration"`
	}
	if status != http.StatusOK {
		return sigv4.Signer{}, Refused(status, body)
	}
	if err := xml.Unmarshal(body, &answer); err != nil || !sent(answer.ID) || !sent(answer.Secret) || !sent(answer.Token) {
		return sigv4.Signer{}, warehouse.Errorf(warehouse.Failed, "AWS answered in a form that is not known. Try again.")
	}
	k.got, k.until = k.Base, answer.Until
	k.got.ID, k.got.Secret, k.got.Token = answer.ID, answer.Secret, answer.Token
	return k.got, nil
}

// sent reports whether a text can be sent in a header.
func sent(text string) bool {
	return text != "" && len(text) < 8<<10 && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// Post sends a form that is signed, as services with AWS's query protocol take it.
func Post(ctx context.Context, do Do, at string, by sigv4.Signer, now time.Time, form url.Values) (status int, body []byte, err error) {
	text := []byte(form.Encode())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at, bytes.NewReader(text))
	if err != nil {
		return 0, nil, warehouse.Errorf(warehouse.Failed, "The region of the connection is not one. Check it.")
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	by.Sign(r, text, now)
	return do(r)
}

// Refused translates a refusal of a service with AWS's query protocol: "Common Errors".
func Refused(status int, body []byte) *warehouse.Error {
	var answer struct {
		Code string `xml:"Error>Code"`
	}
	_ = xml.Unmarshal(body, &answer) // without a code, the status decides
	switch code := answer.Code; {
	case code == "AccessDenied", code == "AccessDeniedException":
		return warehouse.Errorf(warehouse.Auth, "AWS does not let the access key assume the role. The user of the key needs "+
			"sts:AssumeRole on the role, and the trust policy of the role must name that user, and the external id if there is one.")
	case code == "RegionDisabledException":
		return warehouse.Errorf(warehouse.Auth, "STS is switched off in the region. Switch it on in the account settings of IAM.")
	case code == "Throttling", status == http.StatusTooManyRequests, status >= 500:
		return warehouse.Errorf(warehouse.Busy, "AWS takes no more requests at the moment. Try again in a little while.")
	}
	return warehouse.Errorf(warehouse.Auth, "AWS refused the access key. It may be deleted, its secret another, or the clock of "+
		"this machine wrong.")
}
