package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"service/store/message"
)

// A usageError is a mistake in the command line or the configuration.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// An exitError is an exit status whose error has already been printed.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// status prints err and returns its exit status.
func status(err error, stderr io.Writer) int {
	if err == nil {
		return 0
	}
	if code, ok := errors.AsType[exitError](err); ok {
		return int(code)
	}
	if errors.Is(err, context.Canceled) { // by a signal
		fmt.Fprintln(stderr, "service: interrupted")
		return 130
	}
	if refusal, ok := message.As(err); ok { // its words are complete
		err = refusal
	}
	fmt.Fprintf(stderr, "service: %v\n", err)
	if _, ok := errors.AsType[usageError](err); ok {
		return 2
	}
	return 1
}
