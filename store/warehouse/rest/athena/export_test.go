package athena

import (
	"net/http"
	"time"
)

// Resign signs a request as the client with an access key should have, at a time.
func Resign(r *http.Request, body []byte, id, secret, region string, now time.Time) {
	signer{id, secret, region, "athena"}.sign(r, body, now)
}

// Layout is the layout of X-Amz-Date.
const Layout = stamp
