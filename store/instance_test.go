package store_test

import (
	"testing"

	"service/store"
	"service/store/storetest"
)

func TestDemoIsSeededOnce(t *testing.T) {
	t.Parallel()
	s, _ := storetest.New(t)
	for _, want := range []bool{false, true} {
		if got, err := s.DemoSeeded(t.Context()); err != nil || got != want {
			t.Fatalf("%t, %v; want %t", got, err, want)
		}
		if err := s.MarkDemoSeeded(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDevelopmentAccountsFollowTheirProvider(t *testing.T) {
	t.Parallel()
	s, _ := storetest.New(t)
	sign := func(issuer, who string) store.Account {
		t.Helper()
		a, err := s.Accounts.EnsureAccount(t.Context(), store.Identity{Issuer: issuer, Subject: who, Email: who + "@example.com", Verified: true})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	const before, now, public = "http://127.0.0.1:8081", "http://127.0.0.1:9081", "https://id.example.com"
	ann, bob, cat := sign(before, "ann"), sign(before, "bob"), sign(public, "cat")
	bobNow := sign(now, "bob") // has been a stranger already
	for range 2 {
		if err := s.MoveDevelopmentAccounts(t.Context(), now); err != nil {
			t.Fatal(err)
		}
	}
	if got := sign(now, "ann"); got.ID != ann.ID {
		t.Error("ann is a stranger at the new port")
	}
	if got := sign(now, "bob"); got.ID != bobNow.ID {
		t.Error("bob's account at the new port was replaced")
	}
	if got := sign(before, "bob"); got.ID != bob.ID {
		t.Error("bob's account at the old port is gone")
	}
	if got := sign(public, "cat"); got.ID != cat.ID {
		t.Error("an account of a real provider was moved")
	}
}
