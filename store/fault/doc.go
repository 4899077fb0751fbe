// Package fault describes a recovered panic for a log, without values of people's rows: [Text] for the panic, [Callers] for the stack.
// Its callers recover the panic, log it, and decide how to continue.
package fault
