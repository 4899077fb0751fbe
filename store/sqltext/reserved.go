package sqltext

import "strings"

// Reserved reports whether a word, in lower case, is one that the dialect does not take as the name of a column unless it
// stands in quotes. Words that some dialects reserve are reserved in all, but for those of MySQL alone.
func Reserved(word string, mysql bool) bool { return reserved[word] || mysql && reservedByMySQL[word] }

var (
	reserved = set(`
		all analyse analyze and anti any array as asc asof asymmetric at authorization between binary both by case cast check collate
		collation column concurrently constraint create cross current_catalog current_date current_role current_schema current_time
		current_timestamp current_user default deferrable desc describe distinct do else end except false fetch for foreign freeze
		from full generated glob grant group grouping having ilike in inner intersect into is isnull join lambda lateral leading left
		like limit localtime localtimestamp map natural not notnull null offset on only or order outer overlaps pivot pivot_longer
		pivot_wider placing positional primary qualify references returning right sample select semi session_user set show similar
		some struct summarize symmetric table tablesample then to trailing true try_cast union unique unpack unpivot user using values
		variadic verbose when where window with`)
	reservedByMySQL = set(`
		cube delete drop exists explain function groups if index insert interval key keys match of over partition procedure range rank
		read row row_number rows schema system trigger update usage write`)
)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(words) {
		all[w] = true
	}
	return all
}
