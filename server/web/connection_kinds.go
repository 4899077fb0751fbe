package web

import (
	"strings"

	"service/store"
	"service/store/dashboard/locale"
)

// An input is a field of the form of a connection.
type input struct {
	Name     string
	Label    locale.Key
	Hint     locale.Key // hint below the field; may be empty
	Is       string     // text, lines, number, password, key (a file's text that is as secret), check (a change of a stored secret) or tls
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
	limitInput = limitOf("The warehouse bills the bytes that a query reads. A query that would read more than this is refused before it runs.")
)

// limitOf returns the input of the limit of bytes that a run may read, with a hint on how the warehouse enforces it.
func limitOf(hint locale.Key) input {
	return input{Name: "limit", Label: "Most that a run may read, in GB", Is: "number", Required: true, Hint: hint}
}

// Inputs of the limits of kinds whose bytes are counted.
var (
	monthInput = input{
		Name: "month", Label: "Most that all runs of a month may read, in GB", Is: "number",
		Hint: "Empty for no limit. Once queries have read this much in a month (UTC), further ones are refused until the next.",
	}
	// guessInput is for a limit that is compared with an estimate.
	guessInput = input{
		Name: "limit", Label: "Most that a run may read, in GB", Is: "number",
		Hint: "Empty for no limit. Snowflake estimates this before a query runs. It bills running time, so this only protects from reading " +
			"large tables by mistake.",
	}
)

// The inputs of Snowflake that other kinds do not have.
var (
	accountURLInput = input{
		Name: "host", Label: "Host", Is: "text", Required: true,
		Hint: "The account URL without https://, as in acme-main.snowflakecomputing.com.",
	}
	snowDatabaseInput = input{
		Name: "database", Label: "Database", Is: "text", Required: true, Hint: "A database, or a database and a schema, as in SALES.SHOP.",
	}
	snowUserInput = input{
		Name: "user", Label: "User", Is: "text", Required: true, Hint: "A user of type SERVICE whose default role can only read.",
	}
)

// The inputs of Redshift that other databases do not have.
var (
	clusterInput = input{
		Name: "host", Label: "Host", Is: "text", Required: true,
		Hint: "The endpoint without port and database, as in sales.abc123.eu-central-1.redshift.amazonaws.com.",
	}
	redshiftUserInput = input{
		Name: "user", Label: "User", Is: "text", Required: true,
		Hint: "A database user that can only read, or the id of an access key of an IAM user.",
	}
	redshiftDatabaseInput = input{
		Name: "database", Label: "Database", Is: "text", Required: true, Hint: "The database of the tables, as in dev.",
	}
)

// The inputs of BigQuery.
var (
	datasetInput = input{
		Name: "database", Label: "Dataset", Is: "text", Required: true,
		Hint: "Its tables need no prefix. Write it with its project, as in acme-prod.sales, if there is no key or if it is of another project.",
	}
	accountInput = input{
		Name: "password", Label: "Key of a service account", Is: "key",
		Hint: "Paste the JSON file of an account that only has the roles BigQuery Data Viewer and BigQuery Job User. " +
			"It is stored encrypted, and never shown again. Or leave this empty, and fill in the next two fields.",
		Again: "Paste the key again: it was not saved.",
		Keep:  "Leave this empty to keep the stored key. Paste it again if you change the host, port or TLS. It is never shown.",
	}
	providerInput = input{
		Name: "place", Label: "Workload identity provider", Is: "text",
		Hint: "Only without a key: projects/123456789012/locations/global/workloadIdentityPools/dashboards/providers/service, with the " +
			"number of your project. The next page shows the commands that create it.",
	}
	actInput = input{
		Name: "user", Label: "Service account", Is: "text",
		Hint: "Only without a key: the address of the account, as in dashboards@acme-prod.iam.gserviceaccount.com.",
	}
	renewKeyInput = input{Name: "renew", Label: "Make a new key pair, which Google must be given", Is: "check"}
)

// pairInput is for the key pair of a Snowflake user, and renewInput makes another one. With issuerInput there is no key pair.
var (
	pairInput = input{
		Name: "password", Label: "Private key or access token", Is: "key",
		Hint: "Leave this empty to have a key pair made here: the next page shows the statement with its public half. Or paste a private key " +
			"in PEM without a passphrase, or a programmatic access token.",
		Again: "Paste the key again: it was not saved.",
		Keep:  "Leave this empty to keep the stored key. Paste it again if you change the host, port, user or TLS. It is never shown.",
	}
	renewInput  = input{Name: "renew", Label: "Make a new key pair, which the user in Snowflake must be given", Is: "check"}
	issuerInput = input{
		Name: "place", Label: "Token endpoint of OAuth", Is: "text",
		Hint: "Only to sign in by OAuth: the address of your identity provider's token endpoint, a space and the scopes. The user is then the " +
			"id of the OAuth client, and the key its secret.",
	}
)

// A kind is how the web app shows one kind of connection. The zero kind is for kinds that the table lacks.
type kind struct {
	Name   locale.Key
	Inputs [][]input // row by row; nil for those of most databases
	// Where is where to go in the vendor's console, and Grant what to run there, with the least privileges.
	Where locale.Key
	Grant string
	Key   locale.Key // where to run what gives the vendor the public half of a key pair
}

// Inputs of kinds that sign in with a user's password, and of Trino.
var (
	databaseInputs = [][]input{{hostInput, portInput}, {databaseInput}, {userInput}, {passwordInput}, {tlsInput}}

	schemaInput = input{
		Name: "database", Label: "Catalog and schema", Is: "text", Required: true, Hint: "Both, as in hive.shop. Its tables need no prefix.",
	}
	tokenInput = input{
		Name: "password", Label: "Password or token", Is: "password",
		Hint:  "A password, or a JSON web token. It is stored encrypted, and never shown again.",
		Again: passwordInput.Again, Keep: passwordInput.Keep,
	}
	scanInput = limitOf("A query that reads more than this is ended.")
)

// The inputs of Databricks.
var (
	hostnameInput = input{
		Name: "host", Label: "Host", Is: "text", Required: true, Hint: "The server hostname under Connection details, without https://.",
	}
	catalogInput = input{
		Name: "database", Label: "Catalog and schema", Is: "text", Required: true, Hint: "A catalog, or a catalog and a schema, as in main.shop.",
	}
	warehouseInput = input{
		Name: "place", Label: "HTTP path or id of the SQL warehouse", Is: "text", Required: true,
		Hint: "You find it under SQL Warehouses, Connection details.",
	}
	clientInput = input{
		Name: "user", Label: "Client id", Is: "text",
		Hint: "That of a service principal. Leave it empty to sign in with a personal access token.",
	}
	secretInput = input{
		Name: "password", Label: "Secret or token", Is: "password",
		Hint:  "The OAuth secret of the service principal, or a personal access token. It is stored encrypted, and never shown again.",
		Again: passwordInput.Again, Keep: passwordInput.Keep,
	}
)

// The inputs of Athena.
var (
	endpointInput = input{
		Name: "host", Label: "Host", Is: "text", Required: true,
		Hint: "With the region of the workgroup, as in athena.eu-central-1.amazonaws.com.",
	}
	workgroupInput = input{
		Name: "place", Label: "Workgroup", Is: "text", Required: true,
		Hint: "One with a data limit per query and a location for results.",
	}
	glueInput = input{
		Name: "database", Label: "Database", Is: "text", Required: true, Hint: "A database of the data catalog. Its tables need no prefix.",
	}
	accessInput = input{
		Name: "user", Label: "Access key id", Is: "text", Required: true, Hint: "That of an IAM user that can only read.",
	}
	accessSecretInput = input{
		Name: "password", Label: "Secret access key", Is: "password",
		Hint: passwordInput.Hint, Again: passwordInput.Again, Keep: passwordInput.Keep,
	}
	cutoffInput = limitOf("The workgroup must have a limit per query of at most this.")
)

// The inputs of linked files.
var (
	fileHostInput = input{
		Name: "host", Label: "Host", Is: "text", Required: true,
		Hint: "Without https://, as in s3.eu-central-1.amazonaws.com, storage.googleapis.com or data.example.com. For Google spreadsheets: " +
			"www.googleapis.com.",
	}
	bucketInput = input{
		Name: "database", Label: "Bucket", Is: "text",
		Hint: "With its region before it if the host has none, as in auto/sales. Leave it empty for a web address or a spreadsheet.",
	}
	filesInput = input{
		Name: "place", Label: "Files", Is: "lines", Required: true,
		Hint: "One a line, at most 20, with the name of the table: orders = exports/orders.parquet. In a bucket, * matches a part of a name " +
			"and {day} for the latest day: log = log/{day}/*.parquet.",
	}
	fileKeyInput = input{
		Name: "user", Label: "Access key id", Is: "text", Hint: "That of an IAM user that can only read, or an HMAC key. Only for a bucket.",
	}
	fileSecretInput = input{
		Name: "password", Label: "Secret, token or key", Is: "key",
		Hint: "The secret of the access key, a bearer token, or the JSON file of a service account. Leave it empty for a public file. It is " +
			"stored encrypted, and never shown again.",
		Again: "Paste the key again: it was not saved.",
		Keep:  "Leave this empty to keep the stored key. Paste it again if you change the host, port, user or TLS. It is never shown.",
	}
)

// roleInput is for kinds that sign in with an access key of AWS.
var roleInput = input{
	Name: "role", Label: "Role", Is: "text",
	Hint: "Leave it empty, or write the ARN of a role that the access key assumes, and the external id behind a space if the role needs one.",
}

// sayAdministrator is the guide of databases that have no console.
const sayAdministrator locale.Key = "As an administrator of the database, run this with names of your own."

// kinds are the kinds of connections.
var kinds = map[string]kind{
	store.KindUpload: {Name: "Uploaded files"},
	"postgres": {Name: "PostgreSQL", Where: sayAdministrator, Grant: `CREATE ROLE dashboards LOGIN PASSWORD '…';
GRANT CONNECT ON DATABASE sales TO dashboards;
GRANT USAGE ON SCHEMA public TO dashboards;
GRANT SELECT ON orders, customers TO dashboards;`},
	"redshift": {
		Name:   "Amazon Redshift",
		Inputs: [][]input{{clusterInput, portInput}, {redshiftDatabaseInput}, {redshiftUserInput}, {passwordInput}, {roleInput}, {tlsInput}},
		Where: "In the Redshift query editor, run this as a superuser, with names of your own. The host is the endpoint of the cluster or of " +
			"the workgroup, which must be reachable from here.",
		Grant: `CREATE USER dashboards PASSWORD '…';
GRANT USAGE ON SCHEMA shop TO dashboards;
GRANT SELECT ON shop.orders, shop.customers TO dashboards;
-- With an access key, the user is "IAM:dashboards", or "IAMR:dashboards" for a role. The key needs
-- redshift:GetClusterCredentialsWithIAM, or redshift-serverless:GetCredentials.`,
	},
	"mysql": {Name: "MySQL or MariaDB", Where: sayAdministrator, Grant: `CREATE USER dashboards IDENTIFIED BY '…';
GRANT SELECT ON sales.orders TO dashboards;
GRANT SELECT ON sales.customers TO dashboards;`},
	"clickhouse": {Name: "ClickHouse", Where: sayAdministrator, Grant: `CREATE USER dashboards IDENTIFIED BY '…';
GRANT SELECT ON sales.orders TO dashboards;
GRANT SELECT ON sales.customers TO dashboards;`},
	"snowflake": {
		Name: "Snowflake",
		Inputs: [][]input{
			{accountURLInput, portInput},
			{snowDatabaseInput},
			{snowUserInput},
			{pairInput},
			{renewInput},
			{issuerInput},
			{guessInput},
			{monthInput},
			{tlsInput},
		},
		Where: "In Snowsight, run this in a worksheet as ACCOUNTADMIN, with names of your own. The host is the account's URL under View " +
			"account details.",
		Grant: `CREATE ROLE dashboards;
GRANT USAGE ON WAREHOUSE small TO ROLE dashboards;
GRANT USAGE ON DATABASE sales TO ROLE dashboards;
GRANT USAGE ON SCHEMA sales.shop TO ROLE dashboards;
GRANT SELECT ON TABLE sales.shop.orders TO ROLE dashboards;
CREATE USER dashboards TYPE = SERVICE DEFAULT_ROLE = dashboards DEFAULT_WAREHOUSE = small;
GRANT ROLE dashboards TO USER dashboards;`,
		Key: "Run this statement in a Snowsight worksheet, as a role that owns the user.",
	},
	"bigquery": {
		Name: "BigQuery",
		Inputs: [][]input{
			{hostInput, portInput},
			{datasetInput},
			{accountInput},
			{providerInput},
			{actInput},
			{renewKeyInput},
			{limitInput},
			{monthInput},
			{tlsInput},
		},
		Where: "In the Google Cloud console, open the Cloud Shell and run this with names of your own. Then paste the file key.json below. " +
			"To sign in without a key, leave out the last command.",
		Key: "Run this in the Cloud Shell, as an administrator of the project. Leave out what exists already.",
		Grant: `gcloud iam service-accounts create dashboards --project acme-prod
gcloud projects add-iam-policy-binding acme-prod --role roles/bigquery.jobUser \
  --member serviceAccount:dashboards@acme-prod.iam.gserviceaccount.com
bq query --use_legacy_sql=false 'GRANT ` + "`roles/bigquery.dataViewer` ON SCHEMA `acme-prod.sales`" + `
  TO "serviceAccount:dashboards@acme-prod.iam.gserviceaccount.com"'
gcloud iam service-accounts keys create key.json \
  --iam-account dashboards@acme-prod.iam.gserviceaccount.com`,
	},
	"trino": {
		Name: "Trino or Starburst",
		Inputs: [][]input{
			{hostInput, portInput}, {schemaInput}, {userInput}, {tokenInput}, {scanInput}, {monthInput}, {tlsInput},
		},
		Where: "Add a user to the password file of the coordinator, or to Users and roles in Starburst, and run this with names of your own. " +
			"With access control by files, allow the same there.",
		Grant: `GRANT SELECT ON hive.shop.orders TO USER dashboards;
GRANT SELECT ON hive.shop.customers TO USER dashboards;`,
	},
	"athena": {
		Name: "Amazon Athena",
		Inputs: [][]input{
			{endpointInput, portInput},
			{workgroupInput},
			{glueInput},
			{accessInput},
			{accessSecretInput},
			{roleInput},
			{cutoffInput},
			{monthInput},
			{tlsInput},
		},
		Where: "In the IAM console, create a user with this policy and an access key, with names of your own. In the Athena console, open " +
			"Workgroups, and set a data limit per query and a location for results.",
		Grant: `{"Version": "2012-10-17", "Statement": [
  {"Effect": "Allow", "Resource": "arn:aws:athena:*:*:workgroup/dashboards",
   "Action": ["athena:GetWorkGroup", "athena:StartQueryExecution", "athena:GetQueryExecution",
              "athena:GetQueryResults", "athena:StopQueryExecution"]},
  {"Effect": "Allow", "Resource": ["arn:aws:glue:*:*:catalog", "arn:aws:glue:*:*:database/shop", "arn:aws:glue:*:*:table/shop/*"],
   "Action": ["glue:GetDatabase", "glue:GetDatabases", "glue:GetTable", "glue:GetTables", "glue:GetPartitions"]},
  {"Effect": "Allow", "Resource": ["arn:aws:s3:::sales-data", "arn:aws:s3:::sales-data/*"],
   "Action": ["s3:GetObject", "s3:ListBucket", "s3:GetBucketLocation"]},
  {"Effect": "Allow", "Resource": ["arn:aws:s3:::athena-results", "arn:aws:s3:::athena-results/*"],
   "Action": ["s3:GetObject", "s3:PutObject", "s3:ListBucket", "s3:GetBucketLocation", "s3:AbortMultipartUpload"]}]}`,
	},
	"files": {
		Name: "Linked files",
		Inputs: [][]input{
			{fileHostInput, portInput}, {bucketInput}, {filesInput}, {fileKeyInput}, {fileSecretInput}, {roleInput}, {tlsInput},
		},
		Where: "For Amazon S3, create a user in the IAM console with this policy and an access key, with names of your own. For Google Cloud " +
			"Storage, create an HMAC key of a service account with the role Storage Object Viewer. For a spreadsheet, share it with the " +
			"address of a service account.",
		Grant: `{"Version": "2012-10-17", "Statement": [
  {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::sales/exports/*"},
  {"Effect": "Allow", "Action": "s3:ListBucket", "Resource": "arn:aws:s3:::sales",
   "Condition": {"StringLike": {"s3:prefix": "exports/*"}}}]}`,
	},
	"databricks": {
		Name:   "Databricks",
		Inputs: [][]input{{hostnameInput, portInput}, {warehouseInput}, {catalogInput}, {clientInput}, {secretInput}, {tlsInput}},
		Where: "In the workspace, open Settings, Identity and access, Service principals. Add one, generate a secret, and let it use the SQL " +
			"warehouse under Permissions. Then run this in the SQL editor, with names of your own and its application id.",
		Grant: "GRANT USE CATALOG ON CATALOG main TO `0f2a…`;\nGRANT USE SCHEMA ON SCHEMA main.shop TO `0f2a…`;\n" +
			"GRANT SELECT ON TABLE main.shop.orders TO `0f2a…`;",
	},
}

// inputsOf returns the rows of inputs of a kind.
func inputsOf(kind string) [][]input {
	if rows := kinds[kind].Inputs; rows != nil {
		return rows
	}
	return databaseInputs
}

// named returns what an empty field of the form of a kind is called: its name in messages, or its label where that is another word, such as
// "Workgroup" for the place of Athena.
func named(kind, name string) string {
	for _, row := range inputsOf(kind) {
		for _, in := range row {
			if in.Name == name && (name == "place" || name == "user") && !strings.EqualFold(string(in.Label), name) {
				return string(in.Label)
			}
		}
	}
	return name
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
