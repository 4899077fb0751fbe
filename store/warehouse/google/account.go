package google

import (
	"crypto/rsa"
	"encoding/json"
	"time"

	"service/store/warehouse"
)

// An Account is a service account with a key.
type Account struct {
	Email   string
	Project string // to which it belongs; may be empty
	keyID   string
	key     *rsa.PrivateKey
}

// ParseAccount reads the JSON file that Google makes for the key of a service account. The error is for the person who pasted it.
func ParseAccount(text string) (*Account, error) {
	var file struct {
		Type         string `json:"type"`
		ProjectID    string `json:"project_id"`
		PrivateKeyID string `json:"private_key_id"`
		PrivateKey   string `json:"private_key"`
		ClientEmail  string `json:"client_email"`
	}
	err := json.Unmarshal([]byte(text), &file)
	if err == nil && file.Type == "external_account" {
		return nil, errExternal
	}
	key, ok := warehouse.ParseKey(file.PrivateKey)
	if err != nil || file.Type != "service_account" || file.ClientEmail == "" || !ok {
		return nil, errKey
	}
	return &Account{file.ClientEmail, file.ProjectID, file.PrivateKeyID, key}, nil
}

var errKey = warehouse.Errorf(warehouse.Auth,
	"The key is not that of a service account: paste the whole JSON file that Google Cloud made for it.")

// errExternal refuses the configuration of a client library. It names a file, an address or a program on the machine that has the token,
// which must not be this one: anybody could read its files.
var errExternal = warehouse.Errorf(warehouse.Auth,
	"This is a configuration of workload identity federation, not a key, and names a token that cannot be read from here. For BigQuery, "+
		"leave the key empty and write the workload identity provider: the connection then gets a key pair of its own.")

// Assertion returns a JSON web token about the account that its key has signed: with the claims iss, iat and exp (an hour after now), and
// more.
func (a *Account) Assertion(now time.Time, more map[string]any) (string, error) {
	claims := map[string]any{"iss": a.Email, "iat": now.Unix(), "exp": now.Unix() + 3600}
	for name, value := range more {
		claims[name] = value
	}
	return warehouse.SignToken(a.key, a.keyID, claims)
}
