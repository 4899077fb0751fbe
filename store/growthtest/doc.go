// Package growthtest fails a test if the time of the tested code grows faster than n
// log n for an input of size n. It measures the processor time of one thread. Only
// Linux reports this; on other systems the code runs without a measurement.
package growthtest
