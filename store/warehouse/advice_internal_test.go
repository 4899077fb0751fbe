package warehouse

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// TestTemplatesAreFoundAnywhere: what is looked for in SQL before the patterns are tried leaves out no match of them.
func TestTemplatesAreFoundAnywhere(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 9))
	parts := strings.Fields("in IN like ſelect liKe limit 1 x :: :1 := % %S %(ſ)s ? ?? @@ :ſ " +
		"{{ }} {{a}} {% %} { } % ${a} $ ${ $__from __ [ [[ ]] ] and , or( = < ( ) in :a @b $c %(d)s %s ? :: 'x' é select")
	matched := 0
	for range 4_000 {
		var b strings.Builder
		for range r.IntN(8) {
			b.WriteString(parts[r.IntN(len(parts))])
			b.WriteString([]string{"", " ", "\n"}[r.IntN(3)])
		}
		sql := b.String()
		for name, of := range map[string][2][][]int{
			"templates": {findFrom(templates, sql, templateTexts...), templates.FindAllStringIndex(sql, most)},
			"clauses":   {findFrom(clauses, sql, clauseText), clauses.FindAllStringIndex(sql, most)},
			"values":    {findValues(sql), values.FindAllStringSubmatchIndex(sql, most)},
		} {
			matched += len(of[1])
			if !reflect.DeepEqual(of[0], of[1]) {
				t.Fatalf("%s of %s are at %v, want %v", name, sql, of[0], of[1])
			}
		}
	}
	if matched < 1_000 {
		t.Errorf("only %d matches: the test sees too little", matched)
	}
}
