// Package channel defines channels: the kinds of destinations of messages, and their secret addresses. It neither stores nor sends.
package channel
