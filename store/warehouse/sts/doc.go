// Package sts gets temporary credentials of Amazon's Security Token Service for a role, with an access key that may assume it.
//
// It owns the request and its errors. Its callers dial, and know for which service the credentials are.
package sts
