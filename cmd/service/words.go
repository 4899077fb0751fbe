package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"reflect"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The messages of Go's packages name their functions and operations, such as strconv.ParseBool and dial tcp. These functions give the same
// information for people who write a command or a configuration.

// notOf reports in a sentence that a value of a variable is not of its type. It returns "" for types that describe their own mistakes.
func notOf(kind reflect.Type, value string) string {
	switch kind {
	case reflect.TypeFor[bool]():
		return fmt.Sprintf(`"%s" is neither true nor false`, value)
	case reflect.TypeFor[int]():
		return fmt.Sprintf(`"%s" is not a whole number`, value)
	case reflect.TypeFor[time.Duration]():
		return notADuration(value).Error()
	case reflect.TypeFor[slog.Level]():
		return fmt.Sprintf(`"%s" must be debug, info, warn or error`, value)
	}
	return ""
}

func notADuration(value string) error {
	return fmt.Errorf(`"%s" is not a duration such as 10s, 15m or 24h`, value)
}

// flagError returns the error of a flag with an invalid value. It returns cobra's other errors unchanged.
func flagError(_ *cobra.Command, err error) error {
	invalid, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	kinds := map[string]reflect.Type{
		"bool": reflect.TypeFor[bool](), "int": reflect.TypeFor[int](), "duration": reflect.TypeFor[time.Duration](),
	}
	if text := notOf(kinds[invalid.GetFlag().Value.Type()], invalid.GetValue()); text != "" {
		return fmt.Errorf("--%s: %s", invalid.GetFlag().Name, text)
	}
	return err
}

// explainArguments makes a command and its subcommands name their arguments in an error about their number. Cobra counts them only.
func explainArguments(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if err == nil || strings.HasPrefix(err.Error(), "unknown command ") {
				return err
			}
			few := "too few arguments"
			for n := range args {
				if check(cmd, args[:n]) == nil {
					few = "too many arguments"
				}
			}
			return fmt.Errorf("%s: %s", few, strings.TrimSuffix(cmd.UseLine(), " [flags]"))
		}
	}
	for _, sub := range cmd.Commands() {
		explainArguments(sub)
	}
}

// plain returns the operating system's part of an error, with the file that it is about.
func plain(err error) error {
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", file.Path, file.Err)
	}
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("no answer in time")
	}
	return err
}
