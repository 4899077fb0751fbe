// Package growthtest fails tests whose code takes time that grows faster than n log n
// with its input. It measures processor time of one thread, which
// Linux alone reports; elsewhere the code runs and is not measured.
package growthtest
