package channel

import (
	"encoding/json"
)

// Teams is a workflow of Microsoft Teams.
const Teams = "teams"

func teamsKind() Kind {
	return Kind{
		ID: Teams, Name: "Microsoft Teams", URLLabel: "Webhook URL",
		Hint:  "Teams makes one for you under Workflows: post to a channel when a webhook request is received.",
		Write: plainly(teams),
	}
}

// teamsBytes is the maximal size of a message to Teams: 28 KB, less the part that the service there adds.
const teamsBytes = 26_000

// teams writes a content as an Adaptive Card, which a workflow of Teams posts. Texts are runs of rich text, in which Markdown has no
// meaning.
func teams(c *Content) ([]byte, error) {
	for sections := len(c.Sections); ; sections-- {
		body, err := json.Marshal(map[string]any{
			"type": "message",
			"attachments": []any{map[string]any{
				"contentType": "application/vnd.microsoft.card.adaptive",
				"content":     card(c, max(sections, 0), sections < 0),
			}},
		})
		if err != nil || len(body) <= teamsBytes || sections < 0 {
			return body, err
		}
	}
}

// card returns the card, with so many sections. A short one has no values either.
func card(c *Content, sections int, short bool) map[string]any {
	var body []any
	add := func(space string, inlines ...any) {
		body = append(body, map[string]any{"type": "RichTextBlock", "spacing": space, "inlines": inlines})
	}
	line := func(text string) map[string]any {
		return map[string]any{"type": "TextRun", "text": CutText(text, 500)}
	}
	styled := func(text, key string, value any) map[string]any {
		run := line(text)
		run[key] = value
		return run
	}
	title := styled(ToneMark(c.Tone)+c.Title, "weight", "Bolder")
	title["size"] = "Large"
	if color := map[Tone]string{Good: "Good", Warning: "Warning", Critical: "Attention"}[c.Tone]; color != "" {
		title["color"] = color
	}
	add("None", title)
	for _, text := range []string{c.Said, c.Late} {
		if text != "" {
			add("Small", line(text))
		}
	}
	if !short {
		for i, n := range c.Numbers {
			if i == 20 {
				break
			}
			runs := []any{line(n.Name + ": "), styled(n.Value, "weight", "Bolder")}
			if n.Change != "" {
				runs = append(runs, styled(" "+n.Change, "isSubtle", true))
			}
			add("Small", runs...)
		}
		for _, v := range c.Values {
			add("Small", line(v.Name+": "), styled(v.Text, "weight", "Bolder"))
		}
		if more := c.Rest(); more != "" {
			add("Small", line(more))
		}
	}
	for _, s := range c.Sections[:sections] {
		add("Medium", styled(s.Title, "weight", "Bolder"))
		for i, l := range s.Lines {
			if i == 10 {
				break
			}
			add("Small", line(l))
		}
	}
	if c.From != "" {
		add("Medium", styled(c.From, "isSubtle", true))
	}
	return map[string]any{
		"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4", "body": body,
		"msteams": map[string]any{"width": "Full"},
		"actions": []any{map[string]any{"type": "Action.OpenUrl", "title": CutText(c.LinkSaid(), 80), "url": c.Link}},
	}
}
