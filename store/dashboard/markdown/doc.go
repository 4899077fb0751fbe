// Package markdown turns Markdown into sanitized HTML, and limits the cost. The Markdown comes from documents and from text panels, which
// can contain values of the page. Links lead only to https:// addresses, dashboards of the workspace and places of the page. The HTML of a
// text is cached for all pages of the process. See docs/decisions/0009-markdown.md.
package markdown
