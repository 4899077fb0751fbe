// Package sts gets temporary credentials of Amazon's Security Token Service for a role, with an access key that may assume it.
//
// It contains the request and its errors. Its callers dial, and choose the service that the credentials are for.
package sts
