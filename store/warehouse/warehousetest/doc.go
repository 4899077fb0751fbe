// Package warehousetest holds what every connector has to do, as tests that run
// against a real source. A connector's package makes a [Source] over a fixture
// and calls [Run].
package warehousetest
