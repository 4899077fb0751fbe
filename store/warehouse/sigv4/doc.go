// Package sigv4 signs requests to services of Amazon and to others of their API by Signature Version 4: "Create a signed AWS API request"
// in the IAM User Guide.
//
// It knows neither the services nor where access keys are kept.
package sigv4
