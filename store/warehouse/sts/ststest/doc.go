// Package ststest is a stand-in of Amazon's Security Token Service, for the tests of kinds that assume a role.
package ststest
