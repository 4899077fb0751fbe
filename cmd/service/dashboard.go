package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"service/cmd/service/code"
	"service/server"
)

// Variables of "service dashboard". They are the command's alone: the server reads none of them.
const (
	envToken       = "SERVICE_TOKEN"       // an access token, in place of a person's authorization
	envIDToken     = "SERVICE_ID_TOKEN"    // a token of a CI, which the server exchanges for an access token
	envEnvironment = "SERVICE_ENVIRONMENT" // in place of --env
)

// dashboard has the commands for dashboards in files. They need no configuration of a server: they are a client.
func (p *program) dashboard() *cobra.Command {
	d := &dashboards{program: p}
	cmd := group("dashboard", "Keep dashboards as files in Git, and publish them to a server",
		d.pull(), d.check(), d.plan(), d.apply(), d.preview(), d.drift(), d.logout())
	cmd.Long = "Keep dashboards as files in Git, and publish them to a server.\n\n" +
		"A folder with " + code.ConfigFile + " has one file for each dashboard, whose name is the slug.\n" +
		"A CI that the server trusts needs nothing else (see docs/ci). Otherwise, a person authorizes\n" +
		"the command in a browser, once, or " + envToken + " has an access token."
	cmd.Example = "  service dashboard pull\n" +
		"  service dashboard plan --markdown\n" +
		"  service dashboard apply"
	flags := cmd.PersistentFlags()
	flags.StringVar(&d.dir, "dir", ".", "folder of the project, or one below it")
	flags.StringVar(&d.env, "env", "", "environment of "+code.ConfigFile+"; by default "+envEnvironment+", or the only one")
	flags.BoolVar(&d.noBrowser, "no-browser", false, "print the address to authorize at, and open no browser")
	return cmd
}

type dashboards struct {
	*program
	dir, env  string
	noBrowser bool
}

// variable returns a variable of the environment.
func (p *program) variable(name string) string {
	for _, e := range p.environ {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}

// with runs f with the project and a session with the server.
func (d *dashboards) with(ctx context.Context, f func(code.Run) error) (err error) {
	project, err := code.Open(d.dir)
	if err != nil {
		return err
	}
	env, err := project.Environment(cmp.Or(d.env, d.variable(envEnvironment)))
	if err != nil {
		return err
	}
	o := code.Options{Version: server.Release, Bearer: d.variable(envToken), Say: func(format string, args ...any) {
		fmt.Fprintf(d.stderr, format+"\n", args...)
	}}
	o.CI = code.Pipeline{
		IDToken: d.variable(envIDToken), RequestURL: d.variable("ACTIONS_ID_TOKEN_REQUEST_URL"),
		RequestToken: d.variable("ACTIONS_ID_TOKEN_REQUEST_TOKEN"),
	}
	if o.Login.File, err = d.tokenFile(); err != nil {
		return err
	}
	if !d.noBrowser {
		o.Login.Browser = code.OpenBrowser
	}
	client, err := code.Dial(ctx, env, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	return f(code.Run{Project: project, Client: client, Out: d.stdout})
}

// tokenFile returns the file of tokens, below XDG_CONFIG_HOME if the program was given one.
func (d *dashboards) tokenFile() (string, error) {
	if dir := d.variable("XDG_CONFIG_HOME"); dir != "" {
		return code.TokenFileIn(dir), nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no folder for the authorization: %w", err)
	}
	return code.TokenFileIn(dir), nil
}

func (d *dashboards) command(use, short, long string, run func(ctx context.Context, slugs []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Long: short + ".\n\n" + long, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args) },
	}
}

func (d *dashboards) pull() *cobra.Command {
	var json bool
	var take string
	cmd := d.command("pull [slug …]", "Write the files of dashboards from the server",
		"Writes a file for each dashboard that has no file yet, and updates files whose dashboard\n"+
			"changed on the server. Files that you edited are kept. If a file and its dashboard both\n"+
			"changed, the command fails; with --take theirs it replaces the file.",
		func(ctx context.Context, slugs []string) error {
			if err := oneOf("--take", take, "", code.TakeTheirs); err != nil {
				return err
			}
			return d.with(ctx, func(r code.Run) error { return r.Pull(ctx, slugs, json, take) })
		})
	cmd.Flags().BoolVar(&json, "json", false, "write new files as JSON in place of YAML")
	cmd.Flags().StringVar(&take, "take", "", "theirs: replace edited files too, by the server's version")
	return cmd
}

func (d *dashboards) check() *cobra.Command {
	return d.command("check [slug …]", "Check files without a server",
		"Reports every mistake with file, line and column. It does not run SQL; use plan for that.",
		func(_ context.Context, slugs []string) error {
			project, err := code.Open(d.dir)
			if err != nil {
				return err
			}
			err = project.Checked(slugs, d.stdout)
			if mistakes, ok := errors.AsType[code.Mistakes](err); ok {
				fmt.Fprintln(d.stdout, mistakes)
				return exitError(1)
			}
			return err
		})
}

func (d *dashboards) plan() *cobra.Command {
	var markdown bool
	cmd := d.command("plan [slug …]", "Show what apply would change",
		"Sends each dashboard that differs to the server for a dry run, which stores nothing.\n"+
			"Prints the changes, the numbers that would change, warnings, and how often the SQL will\n"+
			"run.\n\n"+
			"The exit status is 0 if nothing differs, 2 if something does, and 1 if something failed or\nthe server refuses a dashboard.",
		func(ctx context.Context, slugs []string) error {
			return d.with(ctx, func(r code.Run) error {
				plan, err := r.Plan(ctx, slugs)
				if err != nil {
					return err
				}
				if markdown {
					plan.Markdown(d.stdout)
				} else {
					plan.Print(d.stdout)
				}
				switch {
				case plan.Refused():
					return exitError(1)
				case plan.Differs():
					return exitError(2)
				}
				return nil
			})
		})
	cmd.Flags().BoolVar(&markdown, "markdown", false, "write Markdown, for the comment of a pull request")
	return cmd
}

func (d *dashboards) apply() *cobra.Command {
	var take string
	cmd := d.command("apply [slug …]", "Publish the dashboards that differ from the server",
		"Publishes nothing if a dashboard changed on the server since it was pulled or applied.\n"+
			"Then choose with --take: theirs updates the file from the server, mine overwrites the\n"+
			"dashboard with the file.",
		func(ctx context.Context, slugs []string) error {
			if err := oneOf("--take", take, "", code.TakeTheirs, code.TakeMine); err != nil {
				return err
			}
			return d.with(ctx, func(r code.Run) error { return r.Apply(ctx, slugs, take) })
		})
	cmd.Flags().StringVar(&take, "take", "", "\"theirs\" or \"mine\": which version to keep if a dashboard also changed on the server")
	return cmd
}

func (d *dashboards) preview() *cobra.Command {
	var suffix string
	var end bool
	cmd := d.command("preview [slug …] --suffix <suffix>", "Publish changed dashboards under temporary slugs, to review them",
		"Publishes the dashboards that differ under <slug>-<suffix>, without their alerts, deliveries and\n"+
			"schedule. --delete deletes them again.",
		func(ctx context.Context, slugs []string) error {
			if suffix == "" {
				return usageError{errors.New("a preview has a suffix: --suffix pr-12")}
			}
			return d.with(ctx, func(r code.Run) error {
				if end {
					return r.EndPreview(ctx, slugs, suffix)
				}
				return r.Preview(ctx, slugs, suffix)
			})
		})
	cmd.Flags().StringVar(&suffix, "suffix", "", "end of the slugs, such as pr-12")
	cmd.Flags().BoolVar(&end, "delete", false, "delete the previews with this suffix")
	return cmd
}

func (d *dashboards) drift() *cobra.Command {
	return d.command("drift [slug …]", "Show what changed on the server since the last pull or apply",
		"Compares the server with what was last pulled or applied, and writes nothing. The exit status\nis 2 if something changed.",
		func(ctx context.Context, slugs []string) error {
			return d.with(ctx, func(r code.Run) error {
				drifted, err := r.Drift(ctx, slugs)
				if err == nil && drifted {
					return exitError(2)
				}
				return err
			})
		})
}

func (d *dashboards) logout() *cobra.Command {
	cmd := d.command("logout", "Forget the authorization of an environment on this machine",
		"The authorization stays valid until it is revoked in the web app, under AI clients.",
		func(context.Context, []string) error {
			project, err := code.Open(d.dir)
			if err != nil {
				return err
			}
			env, err := project.Environment(cmp.Or(d.env, d.variable(envEnvironment)))
			if err != nil {
				return err
			}
			file, err := d.tokenFile()
			if err != nil {
				return err
			}
			where := env.Server
			if env.Workspace != "" {
				where += " for the workspace " + env.Workspace
			}
			known, err := code.Login{File: file}.Forget(env)
			switch {
			case err != nil:
				return err
			case !known:
				return d.say("There is no authorization of %s here.", where)
			}
			return d.say("Forgot the authorization of %s.", where)
		})
	cmd.Args = cobra.NoArgs
	return cmd
}

// oneOf refuses a value of a flag that is not one of allowed.
func oneOf(flag, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return usageError{fmt.Errorf(`%s is "%s", and may be %s`, flag, value, strings.Join(allowed[1:], " or "))}
}
