package warehouse

import (
	"context"
	"errors"
	"strings"
	"unicode"
)

// A Fact is something that a connector and its warehouse agreed on, for people who test a connection. It contains no credentials.
type Fact struct{ Name, Value string }

// A Negotiator is a [Connector] that reports the properties of its session with the warehouse.
type Negotiator interface {
	// Negotiated signs in, and returns the version of the warehouse, the kind of sign-in, the user with the role, and the limits. A fact
	// that the warehouse does not report is left out.
	Negotiated(ctx context.Context) ([]Fact, error)
}

// Facts signs in to t, a target of a kind that c connects to, and returns the properties of the session.
func Facts(ctx context.Context, c Connector, kind string, t Target) ([]Fact, error) {
	facts := []Fact{{"kind", kind}, {"TLS", t.sayTLS()}}
	if n, ok := c.(Negotiator); ok {
		more, err := n.Negotiated(ctx)
		if err != nil {
			return nil, err
		}
		facts = append(facts, more...)
	} else if err := c.Ping(ctx); err != nil {
		return nil, err
	}
	if Kinds[kind].Counted {
		run, month := "none", "none"
		if Kinds[kind].Metered || t.MaxBytes > 0 {
			run = Size(t.Most(kind))
		}
		if t.MaxMonth > 0 {
			month = Size(t.MaxMonth)
		}
		facts = append(facts, Fact{"limit of a run", run}, Fact{"limit of a month", month})
	}
	for i := range facts {
		facts[i].Value = shown(facts[i].Value)
	}
	return facts, nil
}

func (t Target) sayTLS() string {
	switch t.TLS {
	case TLSOff:
		return "off"
	case TLSRequire:
		return "encrypted, any certificate"
	}
	return "verified certificate"
}

// shown returns a text of a warehouse as one line of at most 200 characters.
func shown(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:200]) + "…"
	}
	return text
}

// Left returns err unless it means that a warehouse does not support a query; then it returns nil. It is for queries about facts, of which
// a warehouse may support none.
func Left(err error) error {
	if bad, ok := errors.AsType[*Error](err); ok && !bad.Class.OfSource() && bad.Class != Timeout {
		return nil
	}
	return err
}
