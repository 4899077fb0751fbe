package fault

import (
	"fmt"
	"runtime"
	"strings"

	"service/store/pattern"
)

var numbersInText = pattern.New(`-?\d+`)

// Text returns the text of a panic of the runtime, with # for each number, which may be a value of the
// rows; of any other panic it is the type alone.
func Text(v any) string {
	if err, ok := v.(runtime.Error); ok {
		return numbersInText.ReplaceAllString(err.Error(), "#")
	}
	return fmt.Sprintf("%T", v)
}

// Callers returns the functions that were running when a panic was recovered, one a line, with file and line.
// Unlike debug.Stack, it leaves out arguments.
func Callers() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	var b strings.Builder
	for {
		f, more := frames.Next()
		fmt.Fprintf(&b, "%s\n\t%s:%d\n", f.Function, f.File, f.Line)
		if !more {
			return b.String()
		}
	}
}
