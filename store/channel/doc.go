// Package channel says what a channel is: the kinds of places to which messages go, and
// the secret that leads there. It neither stores nor sends.
package channel
