// Package markdown turns Markdown into sanitized HTML, within limits of what it may cost: of documents, and of the texts of panels, which
// have values of the page in them. Links lead to https:// addresses, dashboards of the workspace and places of the page alone. The HTML of
// a text is kept for all pages of the process. See docs/decisions/0009-markdown.md.
package markdown
