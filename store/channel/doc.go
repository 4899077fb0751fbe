// Package channel defines channels: the kinds of destinations of messages, their secret addresses, and how a message, which is a
// [Content], is written for each kind. It neither stores nor sends messages.
package channel
