package tools

import (
	"errors"
	"fmt"

	"service/store/dashboard"
	"service/store/dashboard/markdown"
	"service/store/message"
)

// checkMarkdown refuses a Markdown page that would cost too much to draw.
func checkMarkdown(document []byte) error {
	if over, ok := errors.AsType[*markdown.Error](markdown.Check(document)); ok {
		return message.Refuse("body: %s. What is over a limit of Markdown can be published as a data file, such as <slug>/text.md.", over)
	}
	return nil
}

// checkTexts checks the Markdown of text panels. The error is *[dashboard.Problems].
func checkTexts(s *dashboard.Spec) error {
	var problems dashboard.Problems
	bytes := 0
	for i, p := range s.Panels {
		bytes += len(p.Markdown)
		if over, ok := errors.AsType[*markdown.Error](markdown.CheckPanel(p.Markdown)); ok {
			problems = append(problems, dashboard.Problem{Path: fmt.Sprintf("panels[%d].markdown", i), Message: over.Error()})
		}
	}
	if bytes > markdown.MaxPage {
		problems = append(problems, dashboard.Problem{
			Path: "panels", Message: fmt.Sprintf("have %d bytes of Markdown together, over the limit of %d", bytes, markdown.MaxPage),
		})
	}
	if len(problems) == 0 {
		return nil
	}
	return &problems
}

// plainLinks warns of Markdown links that the page at an address shows as text.
func plainLinks(path string, targets []string) []dashboard.Warning {
	var out []dashboard.Warning
	for _, to := range targets {
		out = append(out, dashboard.Warnf(dashboard.WarnPlainLink, path,
			`the link to "%s" is shown as plain text. Link a dashboard of this workspace by its slug, /slug or its address, and others by https://.`,
			clip(to, 200)))
	}
	return out
}

// textWarnings are [plainLinks] of all text panels.
func textWarnings(s *dashboard.Spec, address string) []dashboard.Warning {
	var out []dashboard.Warning
	for i, p := range s.Panels {
		out = append(out, plainLinks(fmt.Sprintf("panels[%d].markdown", i), markdown.PanelPlainLinks(p.Markdown, address))...)
	}
	return out
}
