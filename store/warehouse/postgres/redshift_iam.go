package postgres

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"service/store/message"
	"service/store/pattern"
	"service/store/warehouse"
	"service/store/warehouse/sigv4"
	"service/store/warehouse/sts"
)

// accessKey matches the id of an access key of an IAM user. A database user of such a name would need a password.
var accessKey = pattern.New(`^AKIA[A-Z0-9]{12,28}$`)

// Endpoints of a cluster (its id, a code, its region) and of a workgroup (its name, an account, its region).
var (
	clusterHost   = pattern.New(`^([a-z][a-z0-9-]{0,62})\.[a-z0-9]+\.([a-z]{2}(?:-[a-z]+)+-[0-9])\.redshift\.amazonaws\.com(?:\.cn)?$`)
	workgroupHost = pattern.New(
		`^([a-z0-9][a-z0-9-]{2,63})\.[0-9]{12}\.([a-z]{2}(?:-[a-z]+)+-[0-9])\.redshift-serverless\.amazonaws\.com(?:\.cn)?$`)
)

// An iam gets a user and a password of a database for an access key.
type iam struct {
	keys           *sts.Keys
	client         *http.Client
	host, base     string // of the database; base is the address of all services, empty for those of AWS
	name, region   string // of the cluster, or of the workgroup
	workgroup      bool
	database       string
	now            func() time.Time
	mu             sync.Mutex
	user, password string
	until          time.Time
}

// newIAM returns nil if the user of t is not an access key. named is the endpoint of the database, and base the address of AWS's services;
// both are empty except in tests.
func newIAM(t warehouse.Target, d warehouse.Dialer, named, base string) (*iam, error) {
	if !accessKey.MatchString(t.User) {
		if t.Role != "" {
			return nil, message.Refuse("user must be the id of an access key, which assumes the role")
		}
		return nil, nil
	}
	i := &iam{host: cmp.Or(named, t.Host), base: base, database: t.Database, now: time.Now}
	if m := clusterHost.FindStringSubmatch(i.host); m != nil {
		i.name, i.region = m[1], m[2]
	} else if m := workgroupHost.FindStringSubmatch(i.host); m != nil {
		i.name, i.region, i.workgroup = m[1], m[2], true
	} else {
		return nil, message.Refuse("host must be the endpoint of a cluster or workgroup, because the user is an access key")
	}
	if t.Database == "" {
		return nil, message.Refuse("database must not be empty")
	}
	var err error
	if i.keys, err = sts.New(t, i.region, i.service()); err != nil {
		return nil, err
	}
	i.client = &http.Client{
		Transport: &http.Transport{
			DialContext: d.DialContext, TLSHandshakeTimeout: warehouse.DialTime, MaxResponseHeaderBytes: 64 << 10, DisableKeepAlives: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return i, nil
}

func (i *iam) service() string {
	if i.workgroup {
		return "redshift-serverless"
	}
	return "redshift"
}

func (i *iam) endpoint(service string) string {
	if i.base != "" {
		return i.base + "/"
	}
	return sts.Endpoint(i.host, "", service, i.region)
}

// do is an [sts.Do].
func (i *iam) do(r *http.Request) (status int, body []byte, err error) {
	const most = 64 << 10
	response, err := i.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, most))
	return response.StatusCode, body, err
}

// spare is how long before its expiry a password is no longer used.
const spare = time.Minute

// login returns the user and the password of the database. It requests new ones from AWS if it has not requested any or if they expire.
func (i *iam) login(ctx context.Context) (user, password string, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.user != "" && i.now().Add(spare).Before(i.until) {
		return i.user, i.password, nil
	}
	signer, err := i.keys.Signer(ctx, i.do, i.endpoint("sts"), false)
	if err != nil {
		return "", "", i.failed(ctx, err)
	}
	ask := i.ofCluster
	if i.workgroup {
		ask = i.ofWorkgroup
	}
	status, body, err := ask(ctx, signer)
	switch {
	case err != nil:
		return "", "", i.failed(ctx, err)
	case status != http.StatusOK:
		return "", "", i.refused(status, body)
	case i.user == "" || i.password == "":
		return "", "", warehouse.Errorf(warehouse.Failed, "AWS answered in a form that is not known. Try again.")
	}
	return i.user, i.password, nil
}

// ofCluster asks for credentials of a cluster: "GetClusterCredentialsWithIAM" in the "Amazon Redshift API Reference". The user is that of
// the IAM identity: IAM:name, or IAMR:name for a role.
func (i *iam) ofCluster(ctx context.Context, by sigv4.Signer) (status int, body []byte, err error) {
	status, body, err = sts.Post(ctx, i.do, i.endpoint("redshift"), by, i.now(), url.Values{
		"Action": {"GetClusterCredentialsWithIAM"}, "Version": {"2012-12-01"}, "ClusterIdentifier": {i.name}, "DbName": {i.database},
		"DurationSeconds": {"900"},
	})
	var answer struct {
		XMLName  xml.Name  `xml:"GetClusterCredentialsWithIAMResponse"`
		User     string    `xml:"GetClusterCredentialsWithIAMResult>DbUser"`
		Password string    `xml:"GetClusterCredentialsWithIAMResult>DbPassword"`
		Until    time.Time `xml:"GetClusterCredentialsWithIAMResult>Expiration"`
	}
	if err == nil && status == http.StatusOK && xml.Unmarshal(body, &answer) == nil {
		i.user, i.password, i.until = answer.User, answer.Password, answer.Until
	}
	return status, body, err
}

// ofWorkgroup asks for credentials of a workgroup: "GetCredentials" in the "Amazon Redshift Serverless API Reference".
func (i *iam) ofWorkgroup(ctx context.Context, by sigv4.Signer) (status int, body []byte, err error) {
	text, err := json.Marshal(map[string]any{"workgroupName": i.name, "dbName": i.database, "durationSeconds": 900})
	if err != nil {
		return 0, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, i.endpoint("redshift-serverless"), bytes.NewReader(text))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.1")
	r.Header.Set("X-Amz-Target", "RedshiftServerless.GetCredentials")
	by.Sign(r, text, i.now())
	status, body, err = i.do(r)
	var answer struct {
		User     string  `json:"dbUser"`
		Password string  `json:"dbPassword"`
		Until    float64 `json:"expiration"` // seconds since 1970
	}
	if err == nil && status == http.StatusOK && json.Unmarshal(body, &answer) == nil {
		i.user, i.password, i.until = answer.User, answer.Password, time.Unix(int64(answer.Until), 0)
	}
	return status, body, err
}

// refused translates a refusal of Redshift's API.
func (i *iam) refused(status int, body []byte) error {
	text := string(body)
	switch {
	case status == http.StatusTooManyRequests, status >= 500, strings.Contains(text, "Throttling"):
		return warehouse.Errorf(warehouse.Busy, "AWS takes no more requests at the moment. Try again in a little while.")
	case strings.Contains(text, "NotFound"):
		return warehouse.Errorf(warehouse.Connect, "Redshift has no cluster or workgroup of that name in the region. Check the host.")
	case strings.Contains(text, "AccessDenied"):
		return warehouse.Errorf(warehouse.Auth, "The access key may not sign in to Redshift. It needs "+
			"redshift:GetClusterCredentialsWithIAM on the database, or redshift-serverless:GetCredentials on the workgroup.")
	}
	return sts.Refused(status, body)
}

// failed translates an error of the network.
func (i *iam) failed(ctx context.Context, err error) error {
	if ended := warehouse.Ended(ctx, err, false); ended != nil {
		return ended
	}
	if known := warehouse.DialError(err); known != nil {
		return known
	}
	return warehouse.Errorf(warehouse.Connect, "AWS does not answer. Try again.")
}
