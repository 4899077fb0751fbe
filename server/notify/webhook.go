package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"service/store"
)

// webhook is a content in JSON.
func webhook(c *Content, at time.Time) ([]byte, error) {
	return json.Marshal(struct {
		Type string    `json:"type"`
		At   time.Time `json:"timestamp"`
		Data any       `json:"data"`
	}{c.Type, at.UTC().Truncate(time.Second), c.Data})
}

// sign returns the headers by which a receiver knows that body is ours, when it was sent, and whether it
// has it already (Standard Webhooks 1.0).
func sign(m store.OutMessage, body []byte, at time.Time) (http.Header, error) {
	key, err := m.Target().Signer()
	if err != nil {
		return nil, err
	}
	id, seconds := "msg_"+m.ID.String(), strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, seconds, body)
	h := http.Header{}
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", seconds)
	h.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return h, nil
}
