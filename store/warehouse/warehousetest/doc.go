// Package warehousetest is the test suite that every connector must pass, against a real source. A
// connector's package makes a [Source] with a fixture and calls [Run].
package warehousetest
