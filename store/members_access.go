package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"service/store/dashboard"
	"service/store/message"
)

// Limits of the attributes of a member.
const (
	maxAttributes      = 20
	maxAttributeValues = 100
	maxAttributeValue  = 200 // characters
)

// attributes scans those of a member: "" for none, whether NULL or {}.
type attributes string

func (a *attributes) ScanText(v pgtype.Text) error {
	if *a = attributes(v.String); !v.Valid || v.String == "{}" {
		*a = ""
	}
	return nil
}

// Attributes are the member's, by name: the values that row rules compare. Nil for none.
func (m Member) Attributes() map[string][]string { return dashboard.ParseAttributes(m.attributes) }

// ForChannel returns m reading on behalf of a channel instead of themselves: row rules give the channel the rows that they name for it.
func (m Member) ForChannel(slug string) Member {
	m.channel = slug
	return m
}

// A Cut is which rows of a dashboard a member gets.
type Cut struct {
	All   bool // every row: there are no rules, or they do not apply to this member
	Rules []CutRule
}

// A CutRule lets the rows pass whose column has one of the values; no values let no row pass.
type CutRule struct {
	dashboard.Access
	Values []string // sorted, each once
}

// Cut returns the rows of the current version of d that m may read by its row rules. Owners of the workspace get all rows, and so does the
// owner of the connection, as long as they are an editor.
func (m Member) Cut(d Dashboard) Cut { return m.cut(d.Access, d.Reader) }

// CutOf is Cut for another version of d.
func (m Member) CutOf(d Dashboard, v Version) Cut {
	reader := d.Reader
	if v.Connection != d.Connection {
		reader = uuid.Nil
	}
	return m.cut(v.Access, reader)
}

func (m Member) cut(access []byte, reader uuid.UUID) Cut {
	rules := slices.DeleteFunc(dashboard.ParseAccess(access), func(r dashboard.Access) bool { return m.exempt(r, reader) })
	if len(rules) == 0 {
		return Cut{All: true}
	}
	own := m.Attributes()
	var out Cut
	for _, rule := range rules {
		values := own[rule.Attribute]
		if m.channel != "" {
			values = rule.Channels[m.channel]
		}
		values = slices.Clone(values)
		slices.Sort(values)
		out.Rules = append(out.Rules, CutRule{rule, slices.Compact(values)})
	}
	return out
}

// exempt reports whether a row rule of a version does not restrict m. reader owns the connection of that version.
func (m Member) exempt(rule dashboard.Access, reader uuid.UUID) bool {
	of := reader.String()
	if rule.Along != "" {
		of = rule.Reader
	}
	return m.channel == "" && (m.role == RoleOwner || m.role == RoleEditor && m.account != uuid.Nil && of == m.account.String())
}

// SeesReasons reports whether m may read why a refresh of d failed. The reason may name data sources, tables and columns, which are for
// editors, and a driver may quote a value of a row, so that it is for those who get all rows.
func (m Member) SeesReasons(d Dashboard) bool { return m.Edits() && m.Cut(d).All }

// Lacks are the attributes of which a member has no value, so that rules let them see no row of some dataset; sorted, each once.
func (c Cut) Lacks() []string {
	var out []string
	for _, r := range c.Rules {
		if len(r.Values) == 0 {
			out = append(out, r.Attribute)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Key identifies the set of rows that the cut allows of one version: equal sets of values have equal keys, whichever member has them. The
// key is empty for all rows.
func (c Cut) Key() string {
	if c.All {
		return ""
	}
	sets := make([][]string, len(c.Rules))
	for i, r := range c.Rules {
		sets[i] = append([]string{r.Data, r.Column}, r.Values...)
	}
	text, err := json.Marshal(sets)
	if err != nil {
		panic(err) // cannot fail: strings
	}
	return string(text)
}

// wholeOf is a condition on a dashboard d: m gets all its rows. args are for the parameters that it has, which begin with $n.
func (m Member) wholeOf(n int) (sql string, args []any) {
	if m.role == RoleOwner && m.channel == "" {
		return "true", nil
	}
	reader := uuid.Nil
	if m.role == RoleEditor && m.channel == "" {
		reader = m.account
	}
	return fmt.Sprintf(`NOT EXISTS (
		       SELECT FROM version y, jsonb_array_elements(y.access) r
		        WHERE y.workspace_id = d.workspace_id AND y.id = d.version_id AND y.access IS NOT NULL
		          AND NOT CASE WHEN r ? 'along' THEN coalesce(r->>'reader' = ($%[1]d::uuid)::text, false)
		                       ELSE EXISTS (SELECT FROM connection k WHERE k.id = y.connection_id AND k.owner_id = $%[1]d::uuid) END)`, n),
		[]any{reader}
}

// mayLoosen refuses to replace the row rules of d by others that let somebody see more, unless m first published d or is an owner now.
func mayLoosen(ctx context.Context, q querier, m Member, d Dashboard, access []byte) error {
	if d.VersionID == uuid.Nil || d.Access == nil {
		return nil
	}
	loose := dashboard.Loosened(dashboard.ParseAccess(d.Access), dashboard.ParseAccess(access))
	if loose == nil || d.CreatedBy == m.account {
		return nil
	}
	owner, err := isOwner(ctx, q, m.workspace, m.account)
	if m.cap != "" && m.cap != RoleOwner {
		owner = false
	}
	if err != nil || owner {
		return err
	}
	return message.Refuse(`The rule of access for column "%s" of dashboard "%s" would be looser or gone: only an owner of the workspace, or `+
		`whoever first published the dashboard, may do that.`, loose.Column, d.Slug)
}

// Lacking counts the other members of m's workspace who are not owners, and those of them who have no value of an attribute.
func (s Members) Lacking(ctx context.Context, m Member, attribute string) (lacking, all int, err error) {
	err = s.pool.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE NOT (p.provided || p.attributes) ? $3), count(*)
		  FROM membership p WHERE p.workspace_id = $1 AND p.account_id <> $2 AND p.role <> 'owner'`,
		m.workspace, m.account, attribute).Scan(&lacking, &all)
	return lacking, all, err
}

// SetAttribute gives the member with account an attribute in m's workspace, which must be m's as an owner; no values remove it.
func (s Members) SetAttribute(ctx context.Context, m Member, account uuid.UUID, name string, values []string) error {
	return s.setAttribute(ctx, m.workspace, m.account, account, name, values)
}

// SetAttributeFor is SetAttribute for the operator, who identifies workspaces and people by name.
func (s Members) SetAttributeFor(ctx context.Context, slug, email, name string, values []string) error {
	var workspace, account uuid.UUID
	if err := s.pool.QueryRow(ctx, `
		SELECT w.id, a.id FROM workspace w JOIN membership p ON p.workspace_id = w.id JOIN account a ON a.id = p.account_id
		 WHERE w.slug = $1 AND a.email = $2`, slug, strings.ToLower(strings.TrimSpace(email))).Scan(&workspace, &account); err != nil {
		return plain(err)
	}
	return s.setAttribute(ctx, workspace, uuid.Nil, account, name, values)
}

func (s *core) setAttribute(ctx context.Context, workspace, actor, account uuid.UUID, name string, values []string) error {
	values = append([]string{}, values...) // an empty list, not NULL
	slices.Sort(values)
	values = slices.Compact(values)
	if err := checkAttribute(name, values); err != nil {
		return err
	}
	return s.tx(ctx, func(tx pgx.Tx) error {
		if err := mayChange(ctx, tx, workspace, actor); err != nil {
			return err
		}
		var who string
		var count int
		if err := tx.QueryRow(ctx, `
			UPDATE membership p
			   SET attributes = CASE WHEN cardinality($4::text[]) = 0 THEN p.attributes - $3::text
			                         ELSE p.attributes || jsonb_build_object($3::text, to_jsonb($4::text[])) END
			  FROM account a
			 WHERE p.workspace_id = $1 AND p.account_id = $2 AND a.id = p.account_id
			RETURNING `+calledSQL+`, (SELECT count(*) FROM jsonb_object_keys(p.attributes))`, workspace, account, name, values).
			Scan(&who, &count); err != nil {
			return plain(err)
		}
		if count > maxAttributes {
			return message.Refuse("A member has at most %d attributes.", maxAttributes)
		}
		return s.audit(ctx, tx, Event{
			Workspace: workspace, Account: actor, Action: "member.attribute", Subject: who, Detail: map[string]any{"name": name, "values": values},
		})
	})
}

func checkAttribute(name string, values []string) error {
	if !dashboard.CheckAttribute(name) {
		return message.Refuse(`attribute "%s" must begin with a small letter and have small letters, digits and _, at most 40`, name)
	}
	if len(values) > maxAttributeValues {
		return message.Refuse(`attribute "%s" has %d values, over the limit of %d`, name, len(values), maxAttributeValues)
	}
	for _, v := range values {
		if v == "" || utf8.RuneCountInString(v) > maxAttributeValue || strings.ContainsAny(v, "\x00\r\n") || !utf8.ValidString(v) {
			return message.Refuse(`a value of attribute "%s" must be one line of 1 to %d characters`, name, maxAttributeValue)
		}
	}
	return nil
}
