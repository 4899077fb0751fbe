package main

import (
	"compress/gzip"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"service/auth"
	"service/auth/devidp"
	"service/server"
	"service/store"
)

// demoFiles are the files that the demo publishes; see their README for the sources.
//
//go:embed demo/*.gz demo/*.json demo/*.md
var demoFiles embed.FS

const (
	demoWorkspace = "acme"
	demoSlug      = "seattle-weather"
)

// demoPeople returns the people of the demo. Anybody can sign in at the development
// identity provider, but these have workspaces.
func demoPeople() []devidp.Person {
	return []devidp.Person{
		{Email: "ann@example.com", Name: "Ann Ackerman"},
		{Email: "bob@example.com", Name: "Bob Brandt"},
	}
}

// seedDemo creates the demo in a new installation, once. It works like people and clients do: it makes
// accounts as a first sign-in does, and dashboards through the tools. If it fails midway, the next
// start repeats it.
func (k *core) seedDemo(ctx context.Context, issuer string) error {
	if seeded, err := k.store.DemoSeeded(ctx); err != nil || seeded {
		return err
	}
	var accounts []store.Account
	for _, p := range demoPeople() {
		account, err := k.store.Accounts.EnsureAccount(ctx, store.Identity{
			Issuer: issuer, Subject: devidp.Subject(p.Email), Email: p.Email, Verified: true, Name: p.Name,
		})
		if err != nil {
			return err
		}
		accounts = append(accounts, account)
	}
	ann, bob := accounts[0], accounts[1]
	m, err := k.demoMember(ctx, ann, demoWorkspace, "Acme")
	if err != nil {
		return err
	}
	if _, err := k.store.Members.AddMember(ctx, uuid.Nil, demoWorkspace, bob.Email, store.RoleEditor); err != nil {
		return err
	}
	if _, err := k.demoMember(ctx, bob, "globex", "Globex"); err != nil { // a person with a choice of workspaces
		return err
	}
	if err := k.publishDemo(ctx, m, ann); err != nil {
		return err
	}
	return k.store.MarkDemoSeeded(ctx)
}

// demoMember returns the owner of a workspace, which it makes if it does not exist.
func (k *core) demoMember(ctx context.Context, owner store.Account, slug, name string) (store.Member, error) {
	m, err := k.store.Members.Member(ctx, owner.ID, slug)
	if errors.Is(err, store.ErrNotFound) {
		return k.store.Workspaces.CreateWorkspace(ctx, owner.ID, slug, name)
	}
	return m, err
}

// demoUploads are the files of the demo, each with its table name in the specs.
var demoUploads = []struct{ table, file string }{
	{"weather", "seattle-weather.csv"},
	{"employment", "us-employment.csv"},
	{"flights", "us-flights-2008.csv"},
	{"airports", "us-airports.csv"},
}

// demoPages are the dashboards of the demo: a spec over files, a spec over self, or a body.
var demoPages = []struct {
	slug, file string
	tables     []string // of demoUploads; a single one is called upload
	tags       []string
}{
	{demoSlug, "seattle-weather.json", []string{"weather"}, []string{"demo", "weather"}},
	{"us-jobs", "us-jobs.json", []string{"employment"}, []string{"demo", "economy"}},
	{"us-flights", "us-flights.json", []string{"flights", "airports"}, []string{"demo", "travel"}},
	{"handbook", "handbook.md", nil, []string{"demo"}},
	{"usage", "usage.json", nil, []string{"demo"}},
}

// publishDemo uploads the data and publishes the dashboards, like an AI client of ann.
func (k *core) publishDemo(ctx context.Context, m store.Member, ann store.Account) (err error) {
	uploads := map[string]string{} // ids by table
	var connection uuid.UUID
	for _, u := range demoUploads {
		data, err := demoData(u.file)
		if err != nil {
			return err
		}
		added, err := k.store.Uploads.AddUpload(ctx, m, u.file, data)
		if err != nil {
			return err
		}
		uploads[u.table], connection = added.Upload.ID.String(), added.Connection.ID
	}
	client, err := k.demoClient(ctx, store.Grant{
		ID: uuid.New(), Account: ann.ID, Lock: store.LockWorkspace, Member: m,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	for _, p := range demoPages {
		args := map[string]any{"path": p.slug, "tags": p.tags}
		if strings.HasSuffix(p.file, ".json") {
			args["spec"] = json.RawMessage(demoText(p.file))
		} else {
			args["body"] = demoText(p.file)
		}
		switch len(p.tables) {
		case 0:
		case 1:
			args["connection"], args["upload"] = connection.String(), uploads[p.tables[0]]
		default:
			joined := map[string]string{}
			for _, table := range p.tables {
				joined[table] = uploads[table]
			}
			args["connection"], args["uploads"] = connection.String(), joined
		}
		if err := callDemo(ctx, client, "publish_dashboard", args); err != nil {
			return err
		}
	}
	return callDemo(ctx, client, "set_refresh_schedule", map[string]any{"slug": "usage", "schedule": "1h"})
}

func callDemo(ctx context.Context, client *mcp.ClientSession, tool string, args map[string]any) error {
	result, err := client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return fmt.Errorf("%s: %w", tool, err)
	}
	if result.IsError {
		text, _ := result.Content[0].(*mcp.TextContent)
		return fmt.Errorf("%s %v: %s", tool, args["path"], text.Text)
	}
	return nil
}

// demoClient returns a client under the grant g that does not use the network.
func (k *core) demoClient(ctx context.Context, g store.Grant) (*mcp.ClientSession, error) {
	srv := mcp.NewServer(&mcp.Implementation{Name: "service", Version: server.Version}, nil)
	k.registerTools(srv, nil)
	near, far := mcp.NewInMemoryTransports()
	if _, err := srv.Connect(auth.WithGrant(ctx, g), far, nil); err != nil {
		return nil, err
	}
	return mcp.NewClient(&mcp.Implementation{Name: "demo", Version: server.Release}, nil).Connect(ctx, near, nil)
}

// demoText returns an embedded file. It panics if the file does not exist, which a test
// would have found.
func demoText(name string) string {
	text, err := demoFiles.ReadFile("demo/" + name)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func demoData(name string) ([]byte, error) {
	r, err := gzip.NewReader(strings.NewReader(demoText(name + ".gz")))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
