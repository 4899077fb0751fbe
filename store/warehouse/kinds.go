package warehouse

// A Kind holds the facts about a kind of warehouse that need no connection.
type Kind struct {
	Host    string // its address, unless the connection's owner sets another
	Port    int    // that it listens on, over TLS
	NoUser  bool   // the password alone identifies the user
	Metered bool   // it bills the bytes that a query reads, so [Target.MaxBytes] counts
}

// Kinds are the kinds of warehouses, by the names under which connections are stored.
var Kinds = map[string]Kind{
	"postgres":   {Port: 5432},
	"mysql":      {Port: 3306},
	"clickhouse": {Port: 9440},
	"snowflake":  {Port: 443},
	"bigquery":   {Host: "bigquery.googleapis.com", Port: 443, NoUser: true, Metered: true},
}
