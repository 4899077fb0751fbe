// Package snowflake queries Snowflake by its SQL API, version 2.
//
// A statement is submitted asynchronously, polled, and read partition by partition. Before it runs, its columns are determined by running
// it as a subquery with a limit of no rows, so that it must be a query for the server's parser too. A user needs a role that may only read:
// the API has no read-only mode. Functions that act on the account, on other sessions or on models are refused (see gate).
//
// Requests are signed with the private key of a user, which is never sent, or have a programmatic access token.
//
// A name in capitals was written without quotes, and is shown in lower case here.
//
// Types: FIXED keeps every digit, and is an integer where it has no fraction. TIMESTAMP_NTZ is a timestamp, and the other types of times
// are instants. VARIANT, OBJECT, ARRAY and GEOGRAPHY are the text that the server writes. Bytes that are not text are written \x….
package snowflake
