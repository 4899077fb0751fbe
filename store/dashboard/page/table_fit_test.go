package page

import (
	"regexp"
	"strings"
	"testing"

	"service/store/dashboard"
)

// products returns a page with a table of a number of rows, whose weights have a unit.
func products(rows int, columns ...string) View {
	var all [][]any
	for i := range rows {
		all = append(all, []any{"Product " + string(rune('A'+i)), "Tools", int64(i), 1.5, 2.5})
	}
	p := dashboard.Panel{Type: dashboard.Table, Title: "Products", Sort: "-units", TotalRow: true}
	for _, c := range columns {
		p.Columns = append(p.Columns, dashboard.TableColumn{Column: c, Bar: c == "price"})
	}
	v := tiny([]dashboard.Panel{p},
		[]string{"product text", "kind text", "units integer sum", "price number sum", "weight number sum"}, all...)
	for i := range v.Spec.Datasets[0].Columns {
		if c := &v.Spec.Datasets[0].Columns[i]; c.Name == "weight" {
			c.Unit = "kg"
		}
	}
	return v
}

// TestSortedColumnStays: if a table is too wide for a phone, the column by which it is sorted stays visible, and bars give way.
func TestSortedColumnStays(t *testing.T) {
	t.Parallel()
	wide := string(render(t, products(3, "product", "kind", "price", "weight", "units")))
	for _, want := range []string{
		`<div class="tw pin"`, `<td class="r so">2</td>`, `aria-sort="descending" class="r so"`, `<td class="cb"></td><th scope="col" class="r"`,
	} {
		if !strings.Contains(wide, want) {
			t.Errorf("there is no %s in\n%s", want, wide)
		}
	}
	if n := strings.Count(wide, ` so"`); n != 5 { // the head, three rows, and the total
		t.Errorf("%d cells stay visible, want one column", n)
	}
	narrow := string(render(t, products(3, "product", "price", "units")))
	if strings.Contains(narrow, ` so"`) || strings.Contains(narrow, `tw pin`) || !strings.Contains(narrow, ` colspan="2"`) {
		t.Errorf("a table of three columns fits, but a column of it is pinned:\n%s", narrow)
	}
	byName := products(3, "product", "kind", "price", "units")
	byName.Spec.Panels[0].Sort = "product"
	if doc := string(render(t, byName)); !strings.Contains(doc, `<td class="r so">1.5</td>`) {
		t.Errorf("the first number does not stay visible beside the names:\n%s", doc)
	}
}

// TestUnitInTheHead: a unit is in the head of its column, and not in each cell; it stays in sentences and in the CSV's head.
func TestUnitInTheHead(t *testing.T) {
	t.Parallel()
	v := products(3, "product", "weight", "units")
	doc := string(render(t, v))
	if !strings.Contains(doc, "Weight (kg)") || strings.Contains(doc, "2.5\u00a0kg") || !strings.Contains(doc, `<td class="r">2.5</td>`) {
		t.Errorf("the unit is not in the head alone:\n%s", doc)
	}
	if !strings.Contains(doc, `<td class="r">7.5</td>`) {
		t.Errorf("the total is not without its unit:\n%s", doc)
	}
	if says := Summaries(v)[0].Text; !strings.Contains(says, "2.5\u00a0kg") {
		t.Errorf("the sentence has no unit: %s", says)
	}
	csv, err := CSV(v, 0)
	if err != nil {
		t.Fatal(err)
	}
	if head, _, _ := strings.Cut(string(csv), "\n"); head != "Product,Weight (kg),Units" {
		t.Errorf("the CSV begins with %q", head)
	}
}

// TestSearchFromTwelveRows: tables that readers cannot take in at a glance have a search with a label.
func TestSearchFromTwelveRows(t *testing.T) {
	t.Parallel()
	if doc := string(render(t, products(12, "product", "units"))); !strings.Contains(doc, `placeholder="Search in Products"`) {
		t.Errorf("twelve rows have no search:\n%s", doc)
	}
	if doc := string(render(t, products(11, "product", "units"))); strings.Contains(doc, `class="ts"`) {
		t.Errorf("eleven rows have a search:\n%s", doc)
	}
}

// TestMarginsHaveStyles: horizontal plots keep room for the values of their longest bars, and the page has the style of that margin.
func TestMarginsHaveStyles(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{dashboard.Bar, dashboard.Waterfall, dashboard.Combo} {
		one := dashboard.Panel{Type: kind, Data: "d", X: "k", Y: []string{"n", "m"}, Width: 6}
		switch kind {
		case dashboard.Waterfall:
			one.X, one.Y, one.Label, one.Value = "", nil, "k", "n"
		case dashboard.Combo:
			one.Y, one.Bars, one.Lines = nil, []string{"n"}, []string{"m"}
		}
		v := tiny([]dashboard.Panel{one}, []string{"k text", "n integer sum", "m integer sum"},
			[]any{"Engineering and research", int64(3_100_000), int64(3_252_400)},
			[]any{"Marketing, events and brand", int64(900_000), int64(981_886)},
			[]any{"Support of all customers", int64(700_000), int64(771_762)}, []any{"Sales of the whole world", int64(1_200_000), int64(1_266_733)})
		doc := string(render(t, v))
		classes := regexp.MustCompile(`<svg class="plot[^"]* (k\d)"`).FindAllStringSubmatch(doc, -1)
		if kind != dashboard.Combo && len(classes) == 0 {
			t.Errorf("%s: no plot has room for values at its right", kind)
		}
		for _, class := range classes {
			if !strings.Contains(doc, "."+class[1]+"{") {
				t.Errorf("%s: the page has no style for %s", kind, class[1])
			}
		}
	}
}
