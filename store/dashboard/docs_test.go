package dashboard

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"service/store/dashboard/cube"
)

// docsSpec is the folder of the reference of specs, a page a subject.
const docsSpec = "../../docs/spec/"

// reference returns the pages of the reference of specs, the index first.
func reference(t *testing.T) []byte {
	t.Helper()
	files, err := filepath.Glob(docsSpec + "*.md")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	var text []byte
	for _, file := range files {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(file) == "README.md" {
			text = slices.Concat(page, text)
		} else {
			text = append(text, page...)
		}
	}
	return text
}

// pageOf returns the name of the page of the reference that has the section of a type of panels.
func pageOf(t *testing.T, kind string) string {
	t.Helper()
	files, err := filepath.Glob(docsSpec + "*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(page, []byte("\n## "+kind+"\n")) {
			return filepath.Base(file)
		}
	}
	t.Errorf("docs/spec has no section on %s", kind)
	return ""
}

// The reference names every key, value and limit, and its examples are true.
func TestDocs(t *testing.T) {
	t.Parallel()
	text := reference(t)
	for _, list := range [][]string{
		specKeys, paramKeys, datasetKeys, columnKeys, filterKeys, panelKeys(), referenceKeys, bandKeys, rampKeys, thresholdKeys, tableKeys,
		rowsetKeys,
		alertKeys, accessKeys, changeKeys, anomalies, rowsAre, severities, againsts,
		paramTypes, roles, aggs, formats, goods, tones, comparisons, refKinds, rampNames, rampScales, rangeNames, dimensionWords[:1],
	} {
		for _, name := range list {
			if !regexp.MustCompile("[`\"]" + regexp.QuoteMeta(name) + "[`\"]").Match(text) {
				t.Errorf("it does not name %s", name)
			}
		}
	}
	var documented []string
	for _, m := range regexp.MustCompile("(?m)^\\| `\\[([a-z_]+)\\]` \\|").FindAllSubmatch(text, -1) {
		documented = append(documented, string(m[1]))
	}
	if !slices.Equal(documented, WarningCodes) {
		t.Errorf("its codes of warnings are %q, want %q", documented, WarningCodes)
	}
	shown := map[string]bool{}
	for _, m := range regexp.MustCompile("(?s)```json (\\w+)\n(.*?)```").FindAllSubmatch(text, -1) {
		example := m[2]
		switch string(m[1]) {
		case "report":
			if _, _, err := ParseReport(example); err != nil {
				t.Errorf("%s\n%v", example, err)
			}
			continue
		case "panel":
			var panel struct{ Type string }
			if err := json.Unmarshal(example, &panel); err != nil {
				t.Fatal(err)
			}
			shown[panel.Type] = true
			example = inSpec(m[2])
		case "spec":
		default:
			t.Errorf("an example of kind %s", m[1])
		}
		s, err := Parse(example)
		if err != nil {
			t.Errorf("%s\n%v", m[2], err)
			continue
		}
		warnings, err := s.Check(exampleColumns(s))
		for _, w := range warnings {
			if string(m[1]) == "spec" || w.Code != WarnDatasetUnused {
				err = Join(err, errors.New(w.String()))
			}
		}
		if err != nil {
			t.Errorf("%s\n%v", m[2], err)
		}
	}
	for _, kind := range panelTypes {
		if !shown[kind] {
			t.Errorf("no example of a %s", kind)
		}
	}
}

// exampleColumns are the columns that the datasets in the reference return.
func exampleColumns(s *Spec) map[string][]cube.Column {
	types := map[string]cube.Type{
		"day": cube.Date, "month": cube.Date, "opened_on": cube.Date, "started": cube.Date, "ended": cube.Date,
		"last_order": cube.Date, "launched": cube.Boolean,
		"country": cube.Text, "channel": cube.Text, "name": cube.Text,
		"customer": cube.Text, "project": cube.Text, "page": cube.Text, "team": cube.Text, "dashboard": cube.Text,
	}
	out := map[string][]cube.Column{}
	for i := range s.Datasets {
		d := &s.Datasets[i]
		for _, o := range d.selectList().outputs {
			typ, ok := types[o.name]
			if !ok {
				typ = cube.Number
			}
			out[d.ID] = append(out[d.ID], cube.Column{Name: o.name, Type: typ})
		}
	}
	return out
}
