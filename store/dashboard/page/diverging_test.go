package page

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// likert is a page of one bar panel over answers: for each question and department, how many gave each of the answers.
func likert(t *testing.T, keys, columns string, answers ...string) View {
	t.Helper()
	b := cube.NewBuilder([]cube.Column{
		{Name: "question", Type: cube.Text},
		{Name: "department", Type: cube.Text},
		{Name: "answer", Type: cube.Text},
		{Name: "n", Type: cube.Integer},
	})
	for q, question := range []string{"Tools", "Manager", "Future"} {
		for d, department := range []string{"HR", "Sales"} {
			for i, a := range answers {
				if q == 2 && i == 0 {
					continue // nobody gave it
				}
				if err := b.Add([]any{question, department, a, int64(1 + (q+1)*i + d*(len(answers)-i))}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	rows := b.Cube()
	s, err := dashboard.Parse([]byte(`{"datasets":[{"id":"d",` +
		`"sql":"SELECT question, department, answer, count(*) AS n FROM t GROUP BY 1, 2, 3"}],` +
		`"columns":{` + columns + `},"panels":[{"type":"bar","x":"question","y":"n","series":"answer","stack":"diverging"` + keys + `}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Check(map[string][]cube.Column{"d": rows.Columns()}); err != nil {
		t.Fatal(err)
	}
	return View{Spec: s, Cubes: map[string]*cube.Cube{"d": rows}, Now: now, Header: Header{AsOf: now}}
}

const fromLeft = `"answer":{"order":["No","Rather not","Neutral","Rather","Yes"]}`

var rectOfRow = regexp.MustCompile(`rect ([0-9.]+)%,\S+ ([0-9.]+)% by`)

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The middle of the series of a diverging stack is at the middle of each bar, in all small plots; its parts are the shares of the answers.
func TestDivergingStacks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		keys    string
		answers []string
		bars    int
	}{
		{"", []string{"No", "Rather not", "Neutral", "Rather", "Yes"}, 3},
		{"", []string{"No", "Rather not", "Rather", "Yes"}, 3},
		{`,"facet":"department"`, []string{"No", "Rather not", "Neutral", "Rather", "Yes"}, 6},
		{`,"where":{"department":"HR"}`, []string{"No", "Yes"}, 3},
	} {
		v := likert(t, tc.keys, fromLeft, tc.answers...)
		if w := codes(v); w != "" {
			t.Errorf("%s: %s", tc.keys, w)
		}
		drawn := draws(v)
		strips := strings.Split(drawn, "picture strip")[1:]
		if len(strips) != tc.bars {
			t.Fatalf("%s: %d strips in\n%s", tc.keys, len(strips), drawn)
		}
		n := len(tc.answers)
		for _, strip := range strips {
			parts := rectOfRow.FindAllStringSubmatch(strip, -1)
			if len(parts) != n && len(parts) != n-1 {
				t.Fatalf("%s: %d parts in %s", tc.keys, len(parts), strip)
			}
			part := parts[len(parts)-(n+1)/2] // the middle series, or the first on its right
			middle := number(t, part[1])
			if n%2 == 1 {
				middle += number(t, part[2]) / 2
			}
			if math.Abs(middle-50) > 0.11 {
				t.Errorf("%s: the middle is at %.2f %% in %s", tc.keys, middle, strip)
			}
		}
	}
}

// A warning says where the order of the answers is set if nothing sets it; other types and upright bars are refused.
func TestDivergingStacksAreOrdered(t *testing.T) {
	t.Parallel()
	if w := codes(likert(t, "", "", "No", "Maybe", "Yes")); w != "doubtful panels[0].stack" {
		t.Errorf("without an order: %s", w)
	}
	if w := codes(likert(t, "", "", "1", "2", "3")); w != "" {
		t.Errorf("of numbers: %s", w)
	}
	for keys, want := range map[string]string{
		`"type":"area","x":"day","y":["n"],"series":"k","stack":"diverging"`:                 `panels[0].stack: "diverging" is for bars`,
		`"type":"bar","x":"k","y":["n"],"series":"j","stack":"diverging","horizontal":false`: `panels[0].horizontal: stack "diverging" has`,
		`"type":"bar","x":"k","y":["n"],"stack":"diverging"`:                                 `panels[0].stack: "percent" is about`,
		`"type":"bar","x":"k","y":["n"],"series":"j","stack":"likert"`:                       `did you mean "diverging"?`,
		`"type":"combo","x":"k","bars":["n"],"lines":["m"],"stack":"diverging"`:              `panels[0].stack: "diverging" is for bars`,
		`"type":"histogram","value":"n","series":"k","stack":"diverging"`:                    `panels[0].stack: "diverging" is for bars`,
		`"type":"bar","x":"k","y":["n"],"series":"j","stack":"diverging","target":["m"]`:     `panels[0].target: `,
		`"type":"bar","x":"k","y":["n"],"series":"j","stack":"diverging","y_min":0`:          `panels[0].stack: `,
	} {
		_, err := dashboard.Parse([]byte(`{"datasets":[{"id":"d","sql":"SELECT day, k, j, n, m FROM t"}],"panels":[{` + keys + `}]}`))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", keys, err, want)
		}
	}
}
