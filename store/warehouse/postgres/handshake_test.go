package postgres_test

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"service/store/warehouse"
)

// TestRoundsAreBounded: the client leaves a server that makes it compute for long at sign-in, however the server asks and splits its
// messages.
func TestRoundsAreBounded(t *testing.T) {
	t.Parallel()
	for name, try := range map[string]struct {
		rounds  string
		salt    int // bytes
		cut     int // bytes of each write; 0 for all at once
		before  []pgproto3.BackendMessage
		refused bool
	}{
		"as PostgreSQL asks":     {rounds: "4096", salt: 16},
		"the most":               {rounds: "600000", salt: 16},
		"byte for byte":          {rounds: "4096", salt: 16, cut: 1},
		"one more":               {rounds: "600001", salt: 16, refused: true},
		"one more, in pieces":    {rounds: "600001", salt: 16, cut: 1, refused: true},
		"the most of the driver": {rounds: "10000000", salt: 16, refused: true},
		"with a sign":            {rounds: "+10000000", salt: 16, refused: true},
		"with zeros":             {rounds: "0000000000010000000", salt: 16, refused: true},
		"a long salt":            {rounds: "4096", salt: 500_000, refused: true},
		"after other messages": {
			rounds: "9000000", salt: 16, refused: true,
			before: []pgproto3.BackendMessage{&pgproto3.ParameterStatus{Name: "a", Value: "b"}, &pgproto3.NoticeResponse{Message: "R"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answered := make(chan bool, 1)
			c := rogues(t, func(r *rogue) {
				answered <- r.challenge(try.rounds, try.salt, try.cut, try.before...)
			})
			err := c.Ping(t.Context())
			bad, ok := errors.AsType[*warehouse.Error](err)
			if !ok || bad.Class != warehouse.Connect || try.refused != strings.Contains(bad.Message, "rounds of SCRAM") {
				t.Errorf("%v", err)
			}
			if <-answered == try.refused {
				t.Errorf("the client computed: %v", !try.refused)
			}
		})
	}
}

// challenge begins a SCRAM exchange, and reports whether the client answers it.
func (r *rogue) challenge(rounds string, salt, cut int, before ...pgproto3.BackendMessage) bool {
	_, ok := r.exchange(rounds, strings.Repeat("QUFB", salt/3+1), cut, before...)
	return ok
}

// exchange does the same, and returns the text that the server's proof is computed from.
func (r *rogue) exchange(rounds, salt string, cut int, before ...pgproto3.BackendMessage) (signed string, ok bool) {
	r.say(append(before, &pgproto3.AuthenticationSASL{AuthMechanisms: []string{"SCRAM-SHA-256"}})...)
	r.SetAuthType(pgproto3.AuthTypeSASL)
	said, err := r.Receive()
	first, ok := said.(*pgproto3.SASLInitialResponse)
	if err != nil || !ok {
		return "", false
	}
	bare := strings.TrimPrefix(string(first.Data), "n,,")
	_, nonce, _ := strings.Cut(bare, "r=")
	data := fmt.Sprintf("r=%sserver,s=%s,i=%s", nonce, salt, rounds)
	message, _ := (&pgproto3.AuthenticationSASLContinue{Data: []byte(data)}).Encode(nil)
	if cut <= 0 {
		cut = len(message)
	}
	for part := range slices.Chunk(message, cut) {
		if _, err := r.Write(part); err != nil {
			return "", false
		}
	}
	r.SetAuthType(pgproto3.AuthTypeSASLContinue)
	said, err = r.Receive()
	final, ok := said.(*pgproto3.SASLResponse)
	if err != nil || !ok {
		return "", false
	}
	without, _, _ := strings.Cut(string(final.Data), ",p=")
	return bare + "," + data + "," + without, true
}

// TestRoundsOfACall: the rounds of all exchanges of a call count together. A server that knows the password could continue for as long as
// the client connects.
func TestRoundsOfACall(t *testing.T) {
	t.Parallel()
	const rounds = 100_000
	answered := make(chan int, 1)
	c := rogues(t, func(r *rogue) {
		n := 0
		defer func() { answered <- n }()
		salted, err := pbkdf2.Key(sha256.New, "p", []byte("AAA"), rounds, 32)
		if err != nil {
			panic(err)
		}
		sign := func(key []byte, text string) []byte {
			mac := hmac.New(sha256.New, key)
			mac.Write([]byte(text))
			return mac.Sum(nil)
		}
		for ; n < 20; n++ {
			signed, ok := r.exchange(fmt.Sprint(rounds), "QUFB", 0)
			if !ok {
				return
			}
			proof := base64.StdEncoding.EncodeToString(sign(sign(salted, "Server Key"), signed))
			r.say(&pgproto3.AuthenticationSASLFinal{Data: []byte("v=" + proof)})
		}
	})
	if err := c.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "rounds of SCRAM") {
		t.Error(err)
	}
	if n := <-answered; n != 6 {
		t.Errorf("the client computed %d times %d rounds", n, rounds)
	}
}
