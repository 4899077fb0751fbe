package web

import "service/store/dashboard/locale"

// An input is a field of the form of a connection.
type input struct {
	Name     string
	Label    locale.Key
	Hint     locale.Key // hint below the field; may be empty
	Is       string     // text, number, password, key (a file's text that is as secret) or tls
	Required bool
	Again    locale.Key // request to type a secret again that was not saved
	Keep     locale.Key // hint on keeping a stored secret, instead of Hint
}

// Inputs that several kinds share.
var (
	hostInput = input{Name: "host", Label: "Host", Is: "text", Required: true}
	portInput = input{Name: "port", Label: "Port", Is: "number", Required: true}
	userInput = input{Name: "user", Label: "User", Hint: "Use a database user that can only read.", Is: "text", Required: true}
	tlsInput  = input{Name: "tls", Label: "TLS", Is: "tls"}

	databaseInput = input{Name: "database", Label: "Database", Is: "text"}
	passwordInput = input{
		Name: "password", Label: "Password", Hint: "Stored encrypted, and never shown again.", Is: "password",
		Again: "Type the password again: it was not saved.",
		Keep: "Leave this empty to keep the stored password. Type it again if you change the host, port, user or TLS. " +
			"It is never shown.",
	}
	limitInput = input{
		Name: "limit", Label: "Most that a run may read, in GB", Is: "number", Required: true,
		Hint: "The warehouse bills the bytes that a query reads. A query that would read more than this is refused before it runs.",
	}
)

// The inputs of BigQuery.
var (
	datasetInput = input{
		Name: "database", Label: "Dataset", Is: "text", Required: true,
		Hint: "Its tables need no prefix. Write it with its project if the key is of another one, as in acme-prod.sales.",
	}
	accountInput = input{
		Name: "password", Label: "Key of a service account", Is: "key",
		Hint: "Paste the JSON file of an account that only has the roles BigQuery Data Viewer and BigQuery Job User. " +
			"It is stored encrypted, and never shown again.",
		Again: "Paste the key again: it was not saved.",
		Keep:  "Leave this empty to keep the stored key. Paste it again if you change the host, port or TLS. It is never shown.",
	}
)

// pairInput is for the key pair of a Snowflake user.
var pairInput = input{
	Name: "password", Label: "Private key or access token", Is: "key",
	Hint: "Paste the unencrypted private key of the user in PEM, or a programmatic access token. " +
		"It is stored encrypted, and never shown again.",
	Again: "Paste the key again: it was not saved.",
	Keep: "Leave this empty to keep the stored password. Type it again if you change the host, port, user or TLS. " +
		"It is never shown.",
}

// inputs are the rows of inputs, by kind. The key "" is for all kinds that sign in with a user's password.
var inputs = map[string][][]input{
	"":          {{hostInput, portInput}, {databaseInput}, {userInput}, {passwordInput}, {tlsInput}},
	"snowflake": {{hostInput, portInput}, {databaseInput}, {userInput}, {pairInput}, {tlsInput}},
	"bigquery":  {{hostInput, portInput}, {datasetInput}, {accountInput}, {limitInput}, {tlsInput}},
}

// inputsOf returns the rows of inputs of a kind.
func inputsOf(kind string) [][]input {
	if rows, ok := inputs[kind]; ok {
		return rows
	}
	return inputs[""]
}

// required reports whether a field of the form of a kind is required.
func required(kind, name string) bool {
	for _, row := range inputsOf(kind) {
		for _, in := range row {
			if in.Name == name {
				return in.Required && in.Is != "number" // the store has its own sentence for numbers
			}
		}
	}
	return name == "label"
}
