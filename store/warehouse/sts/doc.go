// Package sts gets temporary credentials of Amazon's Security Token Service for a role, with an access key that may assume it.
//
// It contains the request and its errors. Its callers send the request (see [Do]), and choose the service for which the credentials are
// used.
package sts
