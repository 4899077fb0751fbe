package warehouse

import (
	"sort"
	"strings"
	"unicode/utf8"

	"service/store/pattern"
	"service/store/sqltext"
)

var (
	// templates matches what other tools fill in before they send SQL: {{name}}, {% if … %}, ${name}, $__name.
	templates = pattern.New(`\{\{[^{}\n]*\}\}|\{%[^\n]*?%\}|\$\{[A-Za-z_][^{}\n]*\}|\$__[A-Za-z]+`)
	// clauses matches clauses in [[…]], which other tools leave out where a value is missing. A nested list begins with a value.
	clauses = pattern.New(`(?i)\[\[\s*(,|(and|or|where|having|group|order|limit|offset|union|(left|inner|cross)\s+join|join|on)\b)` +
		`[^\n]*?\]\]`)
	// values matches placeholders of other programs in the place of a value: :name, @name, $name, %(name)s, %s, ?, #{name}, #name#, &name,
	// {name}, {$name}, <% name %>, <Parameters.name>. Some are valid in some dialects, as are a::date, a[1:n], :=, the operators ?, & and #
	// between two columns, and {'name': 1}.
	values = pattern.New(`(?i)(?:[=<>(,]|\b(?:in|like|ilike|limit|offset|between|and|or|then|else|where|select|values))\s*` +
		`([:@$][a-z_]\w*|%\([a-z_]\w*\)s|%s|\?|#\{[^{}\n]*\}|#[a-z_]\w*#|&[a-z_]\w*|\{\$?[a-z_]\w*\}|<%[^%\n]*%>|<parameters\.[^<>\n]*>)` +
		`(?:[\s),;]|$)`)
)

// Each match of templates begins with one of these texts, and each match of clauses with this one.
var templateTexts = []string{"{{", "{%", "${", "$__"}

const clauseText = "[["

// Advise adds a hint to e and returns e. To an error of class [Syntax] it adds that this program has no templates, if sql contains one, or
// that the word at the error is reserved in the dialect. It names templates in errors of the classes [Refused] and [Unknown] too, and names
// in backticks, which are those of another dialect, in errors of the class [Unknown].
func Advise(e *Error, dialect sqltext.Dialect, sql string) *Error {
	if e == nil || e.Class != Syntax && e.Class != Refused && e.Class != Unknown {
		return e
	}
	q := sqltext.Read(sql)
	if found := template(q, e); found != "" {
		e.Message = strings.TrimSuffix(e.Message, ".") + `. "` + found + `" is a template of another tool, which is not filled in: ` +
			"write parameters as the dataset's params say, and leave optional clauses to the dashboard's filters."
		return e
	}
	if name := backticked(q, dialect); name != "" && e.Class != Refused {
		e.Message = strings.TrimSuffix(e.Message, ".") + `. Names have no backticks here: write ` + dialect.Quote(name) + "."
		return e
	}
	if e.Class != Syntax {
		return e
	}
	if word := reservedAt(q, e, dialect); word != "" {
		e.Message = strings.TrimSuffix(e.Message, ".") + `. "` + word + `" is a reserved word: write a column of that name as ` +
			dialect.Quote(word) + "."
	}
	return e
}

// template is the first template in q outside of strings and comments, or "". A clause in [[…]] counts only if the error is inside it, and
// a value only if the error is at it.
func template(q sqltext.Query, e *Error) string {
	found := findFrom(templates, q.SQL, templateTexts...)
	if e.Class == Syntax {
		for _, m := range findFrom(clauses, q.SQL, clauseText) {
			if contains(q.SQL, m[0], m[1], e) {
				found = append(found, m)
			}
		}
	}
	for _, m := range findValues(q.SQL) {
		next := sort.Search(len(q.Tokens), func(i int) bool { return q.Tokens[i].From >= m[3] }) // some parsers fail at the token after it
		to := len(q.SQL)
		if next < len(q.Tokens) {
			to = q.Tokens[next].From + 1
		}
		if contains(q.SQL, m[2], to, e) {
			found = append(found, m[2:4])
		}
	}
	for _, m := range found {
		for _, t := range q.Tokens {
			if t.From < m[1] && m[0] < t.To && t.Kind != sqltext.String && t.Kind != sqltext.Name {
				return strings.Join(strings.Fields(q.SQL[m[0]:min(m[1], m[0]+60)]), " ")
			}
		}
	}
	return ""
}

// backticked is the first name in backticks if the dialect has other quotation marks, or "".
func backticked(q sqltext.Query, dialect sqltext.Dialect) string {
	if !strings.Contains(q.SQL, "`") || strings.HasPrefix(dialect.Quote("a b"), "`") {
		return ""
	}
	for i, t := range q.Tokens {
		if text := q.SQL[t.From:t.To]; q.Kind(i) == sqltext.Name && len(text) > 2 && text[0] == '`' {
			return text[1 : len(text)-1]
		}
	}
	return ""
}

// most is how many templates of a kind are looked at.
const most = 20

// findFrom returns the places of the first matches of a pattern. Each match begins with one of the texts, whatever is before it. Most SQL
// has none of the texts, and to look for them takes a hundredth of the time of the pattern.
func findFrom(p *pattern.Pattern, sql string, texts ...string) [][]int {
	first := len(sql)
	for _, text := range texts {
		if i := strings.Index(sql, text); i >= 0 {
			first = min(first, i)
		}
	}
	if first == len(sql) {
		return nil
	}
	found := p.FindAllStringIndex(sql[first:], most)
	for _, m := range found {
		m[0], m[1] = m[0]+first, m[1]+first
	}
	return found
}

// findValues returns the places of the first matches of [values].
func findValues(sql string) [][]int {
	for i := 0; i < len(sql); i++ {
		if strings.IndexByte(":@$%?#&{<", sql[i]) >= 0 && mayBeValue(sql, i) {
			return values.FindAllStringSubmatchIndex(sql, most)
		}
	}
	return nil
}

// mayBeValue reports whether a placeholder that [values] matches can begin at i, from the bytes beside it. Casts, such as a::date, have the
// signs of placeholders too, and are frequent.
func mayBeValue(sql string, i int) bool {
	after := sql[i+1:]
	switch sql[i] {
	case ':', '@', '$', '&':
		if after == "" || !isLetter(after[0]) && after[0] != '_' {
			return false
		}
	case '#', '{':
		if after == "" || !isLetter(after[0]) && strings.IndexByte("_{$", after[0]) < 0 {
			return false
		}
	case '<':
		if after == "" || !isLetter(after[0]) && after[0] != '%' {
			return false
		}
	case '%':
		if after == "" || !isLetter(after[0]) && after[0] != '(' {
			return false
		}
	}
	before := strings.TrimRight(sql[:i], " \t\n\f\r")
	if before == "" {
		return false
	}
	last := before[len(before)-1]
	return isLetter(last) || strings.IndexByte("=<>(,", last) >= 0
}

// isLetter reports whether c is a letter, or a part of one that is not ASCII: a few of those count as ASCII where case does not matter.
func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf }

// contains reports whether the error is in a part of sql, or has no position that shows otherwise.
func contains(sql string, from, to int, e *Error) bool {
	line, first := sqltext.Position(sql, from)
	_, last := sqltext.Position(sql, to)
	if to == len(sql) { // some parsers report the end
		last++
	}
	return e.Line == 0 || e.Line == line && (e.Column == 0 || first <= e.Column && e.Column < last)
}

// reservedAt is the reserved word at an error, in a place where a column name can be: before a comma, a bracket or the end of a list, and
// after a token that begins an expression.
func reservedAt(q sqltext.Query, e *Error, dialect sqltext.Dialect) string {
	if e.Line == 0 {
		for i := range q.Tokens {
			if named(q, i, dialect) {
				return q.Text(i)
			}
		}
		return ""
	}
	// The parser fails at the word, or at the token after it.
	i := sort.Search(len(q.Tokens), func(i int) bool {
		line, column := sqltext.Position(q.SQL, q.Tokens[i].From)
		return line > e.Line || line == e.Line && column >= e.Column
	})
	for _, at := range []int{i, i - 1} {
		if at < len(q.Tokens) && named(q, at, dialect) {
			return q.Text(at)
		}
	}
	return ""
}

// named reports whether token i is a reserved word in the place of a column's name.
func named(q sqltext.Query, i int, dialect sqltext.Dialect) bool {
	if i < 1 || q.Kind(i) != sqltext.Word || !dialect.Reserved(q.Text(i)) {
		return false
	}
	before := q.Is(i-1, "select", "by", ",", "(", ".", "where", "and", "or", "on", "distinct", "having", "=", "<", ">", "+", "-", "/", "as")
	after := i+1 == len(q.Tokens) || q.Is(i+1, ",", ")", "from", "as", "=", "<", ">", "+", "-", "/", "*", "is", "in", "::", "desc", "asc",
		"group", "order", "where", "limit", "and", "or", "between", "like")
	value := q.Is(i, "null", "true", "false", "current_date", "current_time", "current_timestamp", "localtime", "localtimestamp",
		"current_user", "default", "rows")
	trailing := q.Is(i, "from") && q.Is(i-1, ",") // a comma too many, before the clause
	return before && after && !value && !trailing || q.Is(i-1, ".")
}
