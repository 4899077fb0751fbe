package warehouse

// A Kind holds the facts about a kind of warehouse that need no connection.
type Kind struct {
	Host      string // its address, unless the connection's owner sets another
	Port      int    // that it listens on, over TLS
	NoUser    bool   // the password alone identifies the user
	StandIn   bool   // it was tested only against a stand-in of the vendor's service
	MakesKeys bool   // a target without a password and without a place gets a key pair of [NewKey]
	Issued    bool   // a target with a place signs in by OAuth: its password is sent to the address that its place begins with
	Federated bool   // so does a target with a place and without a password: its place is a provider that trusts the key pair
	Metered   bool   // a run may read [Target.MaxBytes], or a default
	OnlyTLS   bool   // it is not reached without TLS
	Dialect   string // of SQL; empty for the name of the kind
	Counted   bool   // the bytes that runs read are known, so that [Target.MaxBytes] and [Target.MaxMonth] can limit them
}

// Kinds are the kinds of warehouses, by the names under which connections are stored.
var Kinds = map[string]Kind{
	"postgres":   {Port: 5432},
	"redshift":   {Port: 5439, StandIn: true},
	"mysql":      {Port: 3306},
	"clickhouse": {Port: 9440},
	"snowflake":  {Port: 443, StandIn: true, Counted: true, MakesKeys: true, Issued: true},
	"bigquery": {
		Host: "bigquery.googleapis.com", Port: 443, StandIn: true, NoUser: true, Federated: true, Metered: true, Counted: true,
	},
	"athena":     {Port: 443, StandIn: true, Metered: true, Counted: true},
	"databricks": {Port: 443, StandIn: true, NoUser: true},
	"files":      {Port: 443, StandIn: true, NoUser: true, OnlyTLS: true, Dialect: "duckdb"},
	"trino":      {Port: 443, StandIn: true, Metered: true, Counted: true},
}
