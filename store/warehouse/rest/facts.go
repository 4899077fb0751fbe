package rest

import (
	"context"
	"strings"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// An Inquirer is an [Engine] that can ask its warehouse about itself.
type Inquirer interface {
	// SignIn names the kind of credentials.
	SignIn() string
	// Known returns facts that need no query.
	Known() []warehouse.Fact
	// Inquiry returns a statement with one row of texts. The names of its columns are the names of facts, with _ for a space. Its SQL is
	// empty if there is no such statement.
	Inquiry() Statement
	// ReadOnly describes how queries are kept from writing.
	ReadOnly() string
}

// Negotiated returns the properties that the warehouse reports about itself and the session.
func (c *Connector) Negotiated(ctx context.Context) ([]warehouse.Fact, error) {
	if err := c.Ping(ctx); err != nil {
		return nil, err
	}
	e, ok := c.engine.(Inquirer)
	if !ok {
		return nil, nil
	}
	facts := append([]warehouse.Fact{{Name: "sign-in", Value: e.SignIn()}}, e.Known()...)
	var told inquiry
	if st := c.own(e.Inquiry(), warehouse.Limits{Rows: 1, Bytes: warehouse.MaxRow, Time: warehouse.AskTime}); st.SQL != "" {
		if _, err := c.query(ctx, st, &told); warehouse.Left(err) != nil {
			return nil, err
		}
	}
	facts = append(facts, told.facts...)
	return append(facts, warehouse.Fact{Name: "read-only", Value: e.ReadOnly()}), nil
}

// An inquiry is the sink of one row of texts.
type inquiry struct {
	cols  []cube.Column
	facts []warehouse.Fact
}

func (q *inquiry) Columns(cols []cube.Column) error {
	q.cols = cols
	return nil
}

func (q *inquiry) Row(row []any) error {
	for i, v := range row {
		if text, ok := v.(string); ok && text != "" {
			q.facts = append(q.facts, warehouse.Fact{Name: spaced(q.cols[i].Name), Value: text})
		}
	}
	return nil
}

func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }
