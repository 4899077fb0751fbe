package code

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Print writes a plan for a terminal.
func (p Plan) Print(w io.Writer) {
	for _, s := range p.Steps {
		fmt.Fprintf(w, "%s: %s\n", s.File, s.title())
		part := func(head string, lines []string) {
			if len(lines) > 0 {
				fmt.Fprintf(w, "  %s\n", head)
			}
			for _, line := range lines {
				fmt.Fprintf(w, "    %s\n", strings.ReplaceAll(line, "\n", "\n    "))
			}
		}
		part("the server refuses it:", nonEmpty(s.Refused))
		part("apply refuses it:", nonEmpty(s.Moved))
		part("not tried:", nonEmpty(s.Waits))
		part("changes:", s.Changes)
		if s.Refused != "" || s.Waits != "" {
			continue
		}
		var shown []string
		for _, n := range s.Numbers {
			switch {
			case n.Before == "":
				shown = append(shown, n.Panel+": "+n.Now)
			case n.Now == "":
				shown = append(shown, n.Panel+": "+n.Before+" → gone")
			default:
				shown = append(shown, n.Panel+":", "  before: "+n.Before, "  now:    "+n.Now)
			}
		}
		part("numbers ("+s.Compared+"):", shown)
		if len(shown) == 0 {
			fmt.Fprintf(w, "  numbers: the same in every panel (%s)\n", s.Compared)
		}
		if s.Left > 0 {
			fmt.Fprintf(w, "  %s not compared: the page is too long for an answer\n", count(s.Left, "more panel"))
		}
		part("warnings:", s.Warnings)
		part("sent automatically:", s.Told)
		fmt.Fprintf(w, "  cost: %s\n", s.Cost)
	}
	if p.Left != "" {
		fmt.Fprintf(w, "%s\n", p.Left)
	}
	fmt.Fprintf(w, "%s\n", p.total())
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func (s Step) title() string {
	switch {
	case s.Refused != "":
		return "cannot be published"
	case s.Moved != "" && s.New:
		return "deleted on the server"
	case s.Moved != "":
		return "changed here and on the server"
	case s.New:
		return "new"
	}
	return "changed"
}

// total is the last line of a plan.
func (p Plan) total() string {
	made, changed := 0, 0
	for _, s := range p.Steps {
		if s.New {
			made++
		} else {
			changed++
		}
	}
	return fmt.Sprintf("%s: %d new, %d changed, %d unchanged.", p.Environment, made, changed, p.Unchanged)
}

// Markdown writes a plan for the comment of a pull request: at most [maxComment] characters.
func (p Plan) Markdown(w io.Writer) {
	var b strings.Builder
	fmt.Fprintf(&b, "### Dashboards in %s\n\n%s\n", inline(p.Environment), inline(strings.TrimPrefix(p.total(), p.Environment+": ")))
	if p.Left != "" {
		fmt.Fprintf(&b, "\n%s\n", inline(p.Left))
	}
	for i, s := range p.Steps {
		text := s.markdown()
		if utf8.RuneCountInString(b.String())+utf8.RuneCountInString(text) > maxComment {
			fmt.Fprintf(&b, "\n%s not shown here: run `service dashboard plan`.\n", count(len(p.Steps)-i, "more dashboard"))
			break
		}
		b.WriteString(text)
	}
	io.WriteString(w, b.String()) //nolint:errcheck // the terminal has gone
}

// maxComment is the limit of a comment, which GitHub cuts at 65,536 characters.
const maxComment = 60_000

func (s Step) markdown() string {
	var b strings.Builder
	name := "`" + s.Slug + "`"
	if s.URL != "" && !s.New {
		name = "[" + name + "](" + s.URL + ")"
	}
	fmt.Fprintf(&b, "\n#### %s: %s\n", name, s.title())
	list := func(head string, lines []string) {
		if len(lines) > 0 {
			fmt.Fprintf(&b, "\n%s\n\n", head)
		}
		for _, line := range lines {
			fmt.Fprintf(&b, "- %s\n", inline(line))
		}
	}
	if s.Refused != "" {
		list("**The server refuses it:**", strings.Split(s.Refused, "\n"))
		list("Changes:", s.Changes)
		return b.String()
	}
	list("**Apply refuses it:**", nonEmpty(s.Moved))
	list("Not tried:", nonEmpty(s.Waits))
	list("Changes:", s.Changes)
	if s.Waits != "" {
		return b.String()
	}
	if len(s.Numbers) > 0 {
		fmt.Fprintf(&b, "\nNumbers (%s):\n\n| Panel | Before | Now |\n|---|---|---|\n", inline(s.Compared))
		for _, n := range s.Numbers {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", inline(n.Panel), inline(n.Before), inline(n.Now))
		}
	} else {
		fmt.Fprintf(&b, "\nNumbers: the same in every panel (%s).\n", inline(s.Compared))
	}
	if s.Left > 0 {
		fmt.Fprintf(&b, "\n%s not compared: the page is too long for an answer.\n", count(s.Left, "more panel"))
	}
	list("Warnings:", s.Warnings)
	list("Sent automatically:", s.Told)
	fmt.Fprintf(&b, "\nCost: %s.\n", inline(s.Cost))
	return b.String()
}

// markup escapes the characters that Markdown interprets, including mentions of people.
var markup = strings.NewReplacer(
	"\n", " ", "\r", " ", `\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;",
	"#", `\#`, "~", `\~`, "!", `\!`, "@", "@\u200b", "://", ":&#8203;//",
)

// inline writes a text from other people so that Markdown shows it unchanged.
func inline(s string) string { return markup.Replace(s) }
