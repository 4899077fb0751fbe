// Package sigv4 signs requests to services of Amazon, and to other services with their API, by Signature Version 4: "Create a signed AWS
// API request" in the IAM User Guide.
//
// It depends neither on the services nor on where access keys are kept.
package sigv4
