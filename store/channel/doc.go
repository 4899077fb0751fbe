// Package channel says what a channel is: the kinds of places to which messages go, the secret that leads there, and how a
// message, which is a [Content], is written for each kind. It neither stores nor sends.
package channel
