package scim_test

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"service/store"
)

// Nothing is answered without the operator's token.
func TestToken(t *testing.T) {
	t.Parallel()
	w := setup(t)
	id := w.person("bob@example.com", nil)
	for _, header := range [][]string{
		nil,
		{""},
		{"Bearer "},
		{"Bearer x"},
		{"Bearer " + token + "x"},
		{"Bearer " + token[1:]},
		{"Basic " + token},
		{token},
		{"Bearer " + token, "Bearer " + token},
		{"Bearer " + strings.ToUpper(token)},
	} {
		for _, target := range []string{"/Users", "/Users/" + id, "/Groups", "/ServiceProviderConfig", "/Schemas", "/nothing"} {
			for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
				req, err := http.NewRequestWithContext(t.Context(), method, w.url+target, strings.NewReader("{}"))
				if err != nil {
					t.Fatal(err)
				}
				req.Header["Authorization"] = header
				res, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				res.Body.Close()
				if res.StatusCode != http.StatusUnauthorized {
					t.Errorf("%s %s with %q: status %d", method, target, header, res.StatusCode)
				}
			}
		}
	}
	w.send("GET", "/Users/"+id, nil, http.StatusOK)
}

// The documents that describe the service.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	w := setup(t)
	config := w.send("GET", "/ServiceProviderConfig", nil, http.StatusOK)
	if config["patch"].(object)["supported"] != true || config["filter"].(object)["supported"] != true {
		t.Errorf("%v", config)
	}
	if n := w.send("GET", "/ResourceTypes", nil, http.StatusOK)["totalResults"]; n != 2.0 {
		t.Errorf("%v resource types", n)
	}
	w.send("GET", "/Schemas/"+userURN, nil, http.StatusOK)
	w.send("GET", "/Schemas/"+groupURN, nil, http.StatusOK)
	w.send("GET", "/Me", nil, http.StatusNotImplemented)
	w.send("GET", "/Nothing", nil, http.StatusNotFound)
}

// A provisioned person is a member before they sign in for the first time, and gets their account then.
func TestProvisionedPeopleNeedNoSignIn(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.mapGroup("team", store.RoleEditor)
	bob := w.person("bob@example.com", object{"displayName": "Bob"})
	w.group("team", bob)
	w.wantMembers("provisioned", "bob@example.com editor")
	a := w.signIn("ext-bob@example.com", store.Identity{Email: "bob@example.com", Verified: true}) // the subject is the external id
	if a.ID != w.account(bob) || a.Name != "Bob" {
		t.Errorf("signed in as %+v", a)
	}
	if w.signIn("ext-bob@example.com", store.Identity{}).ID != a.ID {
		t.Error("the second sign-in has another account")
	}
	// Without the external id, a verified address finds the account, once.
	cat := w.person("cat@example.com", nil)
	if b := w.signIn("subject-of-cat", store.Identity{Email: "Cat@example.com", Verified: true}); b.ID != w.account(cat) {
		t.Error("a verified address does not find its account")
	}
	dan := w.person("dan@example.com", nil)
	if b := w.signIn("eve", store.Identity{Email: "dan@example.com"}); b.ID == w.account(dan) {
		t.Error("an address that is not verified took an account over")
	}
	if b := w.signIn("eve2", store.Identity{Email: "bob@example.com", Verified: true}); b.ID == a.ID {
		t.Error("an account that somebody has signed in with was taken over by its address")
	}
	// An invitation by address counts at once.
	if _, err := w.store.Members.AddMember(t.Context(), w.owner.Account(), "acme", "fay@example.com", store.RoleViewer); err != nil {
		t.Fatal(err)
	}
	w.person("fay@example.com", nil)
	w.wantMembers("invited before", "bob@example.com editor, fay@example.com viewer")
}

// Somebody who signed in before SCIM was set up keeps their account.
func TestEarlierAccountsAreKept(t *testing.T) {
	t.Parallel()
	w := setup(t)
	a := w.signIn("ext-bob", store.Identity{})
	if got := w.account(w.person("bob", nil)); got != a.ID {
		t.Error("the account of the external id is not kept")
	}
	b := w.signIn("s", store.Identity{Email: "cat@example.com", Verified: true})
	if got := w.account(w.person("cat@example.com", nil)); got != b.ID {
		t.Error("the account of the verified address is not kept")
	}
	dan := store.Identity{Email: "dan@example.com", Verified: true}
	c, d := w.signIn("c", dan), w.signIn("d", dan)
	if got := w.account(w.person("dan@example.com", nil)); got == c.ID || got == d.ID {
		t.Error("of two accounts with the address, one was taken")
	}
}

// TestRemoval: a person whom the provider removes, in any of its ways, loses everything at once and cannot sign in again.
func TestRemoval(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(w *world, id string){
		"DELETE": func(w *world, id string) { w.send("DELETE", "/Users/"+id, nil, http.StatusNoContent) },
		"PUT": func(w *world, id string) {
			w.send("PUT", "/Users/"+id, user("bob@example.com", object{"active": false}), http.StatusOK)
		},
		"PATCH as Okta": func(w *world, id string) {
			w.send("PATCH", "/Users/"+id, patch(object{"op": "replace", "value": object{"active": false}}), http.StatusOK)
		},
		"PATCH as Entra": func(w *world, id string) {
			w.send("PATCH", "/Users/"+id, patch(object{"op": "Replace", "path": "active", "value": "False"}), http.StatusOK)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			ctx := t.Context()
			w.mapGroup("team", store.RoleViewer)
			bob := w.person("bob@example.com", nil)
			w.group("team", bob)
			a := w.signIn("ext-bob@example.com", store.Identity{Email: "bob@example.com", Verified: true})
			m, err := w.store.Members.Member(ctx, a.ID, "acme")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.store.OAuth.AddTrust(ctx, m,
				store.Trust{Issuer: "https://ci.example", Audience: "a", Subject: "repo:acme/x"}); err != nil {
				t.Fatal(err)
			}
			w.token(a.ID, "bob")
			if !w.tokenWorks("bob") || w.count(`SELECT count(*) FROM web_session WHERE account_id = $1`, a.ID) != 1 {
				t.Fatal("nothing to lose")
			}
			remove(w, bob)
			if w.tokenWorks("bob") {
				t.Error("a grant outlives the person")
			}
			for _, table := range []string{"web_session", "membership", "trust"} {
				if n := w.count(`SELECT count(*) FROM `+table+` WHERE account_id = $1`, a.ID); n != 0 {
					t.Errorf("%d rows of %s are left", n, table)
				}
			}
			// Nothing brings them back: neither a sign-in with every claim, nor an owner, nor a request that was under way.
			if _, err := w.trySignIn("ext-bob@example.com", store.Identity{
				Email: "bob@example.com", Verified: true, Provided: store.Provided{Groups: []string{"team"}},
			}); !errors.Is(err, store.ErrRemoved) {
				t.Error("a removed person signed in:", err)
			}
			if _, err := w.store.Members.AddMember(ctx, w.owner.Account(), "acme", "bob@example.com", store.RoleViewer); err == nil {
				t.Error("a removed person was added")
			}
			for _, insert := range []string{
				`INSERT INTO web_session (hash, account_id, user_agent, created_at, used_at, expires_at)
				 VALUES ('x', $1, '', now(), now(), now() + '1h')`,
				`INSERT INTO oauth_grant (id, client_id, account_id, lock, scope, resource, expires_at, ends_at)
				 VALUES (gen_random_uuid(), 'bob', $1, 'none', '', '', now(), now())`,
			} {
				if _, err := w.pool.Exec(ctx, insert, a.ID); err == nil || !strings.Contains(err.Error(), "SV403") {
					t.Error("a request that was under way let them in:", err)
				}
			}
			w.mapGroup("team", store.RoleEditor)
			w.wantMembers("removed", "")
			// The provider alone takes them back, as a member by their groups; what ended stays ended.
			if name == "DELETE" {
				bob = w.person("bob@example.com", nil)
				w.group("team2", bob)
				w.mapGroup("team2", store.RoleViewer)
			} else {
				w.send("PATCH", "/Users/"+bob, patch(object{"op": "replace", "path": "active", "value": true}), http.StatusOK)
			}
			if got := w.signIn("ext-bob@example.com", store.Identity{}); got.ID != a.ID {
				t.Error("the person has another account after their return")
			}
			if w.members() == "" || w.tokenWorks("bob") {
				t.Errorf("after the return: members %q, token %t", w.members(), w.tokenWorks("bob"))
			}
		})
	}
}

// The last owner stays a member of a workspace that would have no owner, but gets in nowhere.
func TestRemovalOfTheLastOwner(t *testing.T) {
	t.Parallel()
	w := setup(t)
	id := w.person("owner@example.com", object{"externalId": "owner"})
	if w.account(id) != w.owner.Account() {
		t.Fatal("another account")
	}
	w.token(w.owner.Account(), "owner")
	w.send("DELETE", "/Users/"+id, nil, http.StatusNoContent)
	if w.count(`SELECT count(*) FROM membership WHERE account_id = $1`, w.owner.Account()) != 1 {
		t.Error("the workspace has no owner")
	}
	if w.tokenWorks("owner") || w.count(`SELECT count(*) FROM web_session WHERE account_id = $1`, w.owner.Account()) != 0 {
		t.Error("the removed owner still gets in")
	}
	if _, err := w.trySignIn("owner", store.Identity{}); !errors.Is(err, store.ErrRemoved) {
		t.Error(err)
	}
}

// A group's people follow each change of it, in the transaction of the change.
func TestGroupChanges(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.mapGroup("team", store.RoleViewer)
	bob, cat := w.person("bob@example.com", nil), w.person("cat@example.com", nil)
	team := w.group("team", bob)
	at := "/Groups/" + team
	w.wantMembers("made", "bob@example.com viewer")
	w.send("PATCH", at, patch(object{"op": "Add", "path": "members", "value": values([]string{cat, bob})}), http.StatusOK)
	w.wantMembers("added", "bob@example.com viewer, cat@example.com viewer")
	w.token(w.account(bob), "bob")
	w.send("PATCH", at, patch(object{"op": "remove", "path": `members[value eq "` + bob + `"]`}), http.StatusOK)
	w.wantMembers("removed by a filter", "cat@example.com viewer")
	if _, err := w.store.OAuth.Verify(t.Context(), []byte("bobworkspace")); !errors.Is(err, store.ErrNotFound) {
		t.Error("a grant outlives the group:", err)
	}
	if _, err := w.store.OAuth.Verify(t.Context(), []byte("bobnone")); err != nil {
		t.Error("a grant that is not for the workspace ended:", err)
	}
	w.send("PATCH", at, patch(object{"op": "remove", "path": "members", "value": values([]string{cat})}), http.StatusOK)
	w.wantMembers("removed by value", "")
	w.send("PUT", at, object{"schemas": []string{groupURN}, "displayName": "team", "members": values([]string{bob, cat})}, http.StatusOK)
	w.wantMembers("replaced", "bob@example.com viewer, cat@example.com viewer")
	w.send("PATCH", at, patch(object{"op": "replace", "value": object{"id": team, "displayName": "renamed"}}), http.StatusOK)
	w.wantMembers("renamed", "")
	w.send("PATCH", at, patch(object{"op": "replace", "path": "displayName", "value": "team"}), http.StatusOK)
	w.wantMembers("renamed back", "bob@example.com viewer, cat@example.com viewer")
	w.send("PATCH", at, patch(object{"op": "replace", "path": "members", "value": values([]string{cat})}), http.StatusOK)
	w.wantMembers("members replaced", "cat@example.com viewer")
	w.send("DELETE", at, nil, http.StatusNoContent)
	w.wantMembers("deleted", "")
	w.send("DELETE", at, nil, http.StatusNotFound)
}

// TestScimOutweighsClaims: only SCIM determines the members of a group that it provisions; a claim with the name of the group adds no
// member.
func TestScimOutweighsClaims(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.mapGroup("team", store.RoleEditor)
	claims := store.Identity{Email: "bob@example.com", Verified: true, Provided: store.Provided{Groups: []string{"team"}}}
	w.signIn("bob", claims)
	w.wantMembers("by the claim", "bob@example.com editor")
	team := w.group("team")
	w.wantMembers("the group is provisioned, empty", "")
	w.signIn("bob", claims)
	w.wantMembers("another sign-in", "")
	w.send("DELETE", "/Groups/"+team, nil, http.StatusNoContent)
	w.wantMembers("the group is no longer provisioned", "bob@example.com editor")
}

// Requests of a strict client, good and bad, and their answers.
func TestUsers(t *testing.T) {
	t.Parallel()
	w := setup(t)
	id := w.person("Bob@example.com", object{
		"password": "secret", "name": object{"givenName": "Bob", "familyName": "Bolt"},
		"emails": []object{{"value": "old@example.com", "type": "home"}, {"value": "Bob@Example.com", "type": "work", "primary": true}},
		"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": object{"department": "Data"},
	})
	at := "/Users/" + id
	if n := w.count(`SELECT count(*) FROM scim_user WHERE body::text LIKE '%secret%'`); n != 0 {
		t.Error("a password is stored")
	}
	if a, err := w.store.Accounts.Account(t.Context(), w.account(id)); err != nil || a.Email != "bob@example.com" || a.Name != "Bob Bolt" {
		t.Errorf("%+v, %v", a, err)
	}
	w.send("POST", "/Users", user("bob@EXAMPLE.com", object{"externalId": "x"}), http.StatusConflict)
	w.send("POST", "/Users", user("other", object{"externalId": "ext-Bob@example.com"}), http.StatusConflict)
	for filter, want := range map[string]int{
		`userName eq "bob@example.com"`: 1, `USERNAME Eq "BOB@example.com"`: 1, `externalId eq "ext-Bob@example.com"`: 1,
		`userName eq "nobody"`: 0, `active eq true`: 1, `active eq false`: 0, `userName sw "bob" and active eq true`: 1,
		`emails[type eq "work" and value co "@example.com"]`: 1, `name.familyName eq "Bolt"`: 1, `id eq "` + id + `"`: 1,
	} {
		if got := len(w.find("/Users", filter)); got != want {
			t.Errorf("%s: %d people, want %d", filter, got, want)
		}
	}
	w.send("GET", "/Users?filter=nonsense", nil, http.StatusBadRequest)
	w.send("PATCH", at, patch(
		object{"op": "Replace", "path": `emails[type eq "work"].value`, "value": "robert@example.com"},
		object{"op": "add", "path": `phoneNumbers[type eq "mobile"].value`, "value": "1"},
		object{"op": "replace", "path": "name.familyName", "value": "Bell"},
		object{"op": "add", "path": "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", "value": "Ops"},
		object{"op": "remove", "path": "name.givenName"},
	), http.StatusOK)
	v := w.send("GET", at, nil, http.StatusOK)
	got := fmt.Sprint(v["emails"], v["phoneNumbers"], v["name"], v["urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"])
	for _, part := range []string{"robert@example.com", "old@example.com", "type:mobile", "familyName:Bell", "department:Ops"} {
		if !strings.Contains(got, part) {
			t.Errorf("after the patch, %s lacks %s", got, part)
		}
	}
	if strings.Contains(got, "givenName") {
		t.Errorf("a removed attribute is left: %s", got)
	}
	// A change that names neither true nor false changes nothing, above all not to active.
	w.send("PATCH", at, patch(object{"op": "replace", "path": "active", "value": false}), http.StatusOK)
	for _, o := range []object{
		{"op": "replace", "path": "active", "value": "maybe"},
		{"op": "replace", "path": "active", "value": 1},
		{"op": "replace", "path": "nothing", "value": true},
		{"op": "jump", "path": "active", "value": true},
		{"op": "replace", "path": `emails[type eq "work"`, "value": true},
		{"op": "remove"},
	} {
		w.send("PATCH", at, patch(o), http.StatusBadRequest)
	}
	w.send("PATCH", at, patch(object{"op": "remove", "path": "active"}), http.StatusOK)
	w.send("PUT", at, object{"schemas": []string{userURN}, "userName": "bob@example.com"}, http.StatusOK)
	if v := w.send("GET", at, nil, http.StatusOK); v["active"] != false {
		t.Error("a change without active let a removed person in")
	}
	for _, bad := range []object{
		{"schemas": []string{userURN}},
		user("", nil), user("  ", nil), user("x\x00", nil), user("x", object{"active": "maybe"}),
		user("x", object{"emails": "x"}), user(strings.Repeat("x", 501), nil),
	} {
		w.send("POST", "/Users", bad, http.StatusBadRequest)
	}
	for _, path := range []string{"/Users/" + uuid.NewString(), "/Users/nobody", "/Users/" + strings.ToUpper(id), "/Users/%00"} {
		w.send("GET", path, nil, http.StatusNotFound)
		w.send("DELETE", path, nil, http.StatusNotFound)
	}
	for _, members := range [][]object{{{"value": uuid.NewString()}}, {{"value": "x"}}, {{"display": "bob"}}} {
		w.send("POST", "/Groups", object{"schemas": []string{groupURN}, "displayName": "g", "members": members}, http.StatusBadRequest)
	}
	w.send("POST", "/Groups", object{"schemas": []string{groupURN}, "displayName": " "}, http.StatusBadRequest)
	w.group("g", id)
	w.send("POST", "/Groups", object{"schemas": []string{groupURN}, "displayName": "g"}, http.StatusConflict)
	if list := w.find("/Groups", `displayName eq "g"`); len(list) != 1 {
		t.Errorf("%d groups", len(list))
	}
	v = w.send("GET", "/Groups?excludedAttributes=members", nil, http.StatusOK)
	if strings.Contains(fmt.Sprint(v), id) {
		t.Error("excluded members are returned")
	}
}

// A filter of 60 KB of brackets, as long as an address may be, is not parsed: each bracket would take 10 KB of the stack.
func TestLongFilters(t *testing.T) {
	w := setup(t)
	w.person("bob@example.com", nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, path := range []string{"/Users", "/Groups"} {
		w.send("GET", path+"?filter="+strings.Repeat("(", 60_000), nil, http.StatusBadRequest)
		w.send("GET", path+"?filter=x&filter="+strings.Repeat("not%20(", 8_000), nil, http.StatusBadRequest)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.StackSys) - int64(before.StackSys); grown > 64<<20 {
		t.Errorf("the stacks took %d MB more", grown>>20)
	}
	if got := len(w.find("/Users", strings.Repeat("(", 20)+`userName eq "bob@example.com"`+strings.Repeat(")", 20))); got != 1 {
		t.Errorf("%d people, want 1", got)
	}
}

// Operations that would look at the items of long lists too often are refused.
func TestManyOperations(t *testing.T) {
	t.Parallel()
	w := setup(t)
	at := "/Users/" + w.person("bob@example.com", nil)
	emails := make([]object, 10_000)
	for i := range emails {
		emails[i] = object{"type": fmt.Sprint(i)}
	}
	operations := []object{{"op": "add", "path": "emails", "value": emails}}
	for range 999 {
		operations = append(operations, object{"op": "remove", "path": `emails[type eq "none"]`})
	}
	got := w.send("PATCH", at, patch(operations...), http.StatusBadRequest)
	if got["scimType"] != "tooMany" {
		t.Errorf("%v", got)
	}
	w.send("PATCH", at, patch(operations[:100]...), http.StatusOK)

	// Each operation costs time, also one that looks at no list.
	at = "/Users/" + w.person("eve@example.com", nil)
	short := slices.Repeat([]object{{"op": "replace", "path": "displayName", "value": "Bob"}}, 1001)
	w.send("PATCH", at, patch(short[:1000]...), http.StatusOK)
	got = w.send("PATCH", at, patch(short...), http.StatusBadRequest)
	if got["scimType"] != "tooMany" || !strings.Contains(fmt.Sprint(got["detail"]), "1000 operations") {
		t.Errorf("%v", got)
	}
}

// Lists have pages.
func TestPages(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for i := range 7 {
		w.person(fmt.Sprintf("p%d", i), nil)
	}
	seen := map[string]bool{}
	for start := 1; start <= 7; start += 3 {
		v := w.send("GET", fmt.Sprintf("/Users?startIndex=%d&count=3", start), nil, http.StatusOK)
		if v["totalResults"] != 7.0 || v["startIndex"] != float64(start) {
			t.Errorf("%v", v)
		}
		for _, r := range v["Resources"].([]any) {
			seen[r.(object)["id"].(string)] = true
		}
	}
	if len(seen) != 7 {
		t.Errorf("%d people on three pages", len(seen))
	}
}
