package channel

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Webhook is a signed request (Standard Webhooks).
const Webhook = "webhook"

func webhookKind() Kind {
	return Kind{
		ID: Webhook, Name: "Webhook", URLLabel: "URL", Signed: true,
		Write: func(c *Content, to Target, at Attempt) (Post, error) {
			body, err := webhook(c, at.At)
			if err != nil {
				return Post{}, err
			}
			headers, err := sign(to, at, body)
			return Post{URL: to.URL, Header: headers, Body: body}, err
		},
	}
}

// webhook writes a content in JSON.
func webhook(c *Content, at time.Time) ([]byte, error) {
	return json.Marshal(struct {
		Type string    `json:"type"`
		At   time.Time `json:"timestamp"`
		Data any       `json:"data"`
	}{c.Type, at.UTC().Truncate(time.Second), c.Data})
}

// sign returns the headers by which a receiver can check that body is ours, when it was sent, and whether it is a repetition (Standard
// Webhooks 1.0).
func sign(to Target, at Attempt, body []byte) (http.Header, error) {
	key, err := to.Signer()
	if err != nil {
		return nil, err
	}
	id, seconds := "msg_"+at.Message.String(), strconv.FormatInt(at.At.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, seconds, body)
	h := http.Header{}
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", seconds)
	h.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return h, nil
}
