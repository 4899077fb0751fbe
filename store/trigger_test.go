package store_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/message"
	"service/store/warehouse"
)

// TestTriggerNeedsASource: a refresh that would fail before its first query is refused when it is requested, with the message with which it
// would fail. No run is made, and the budget is not used.
func TestTriggerNeedsASource(t *testing.T) {
	t.Parallel()
	const (
		notActive = `Connection "Sales" is not active (status: `
		retry     = `). Test it in the web application and retry once it is active.`
	)
	set := func(status string) func(context.Context, *sourced) error {
		return func(ctx context.Context, s *sourced) error {
			_, err := s.pool.Exec(ctx, `UPDATE connection SET status = $2 WHERE id = $1`, s.connection, status)
			return err
		}
	}
	for _, c := range []struct {
		name  string
		from  string // self, warehouse or file
		spoil func(context.Context, *sourced) error
		want  string // "" where the refresh is queued
	}{
		{"self", "self", nil, ""},
		{"an active warehouse", "warehouse", nil, ""},
		{"a file", "file", nil, ""},
		{"a disabled warehouse", "warehouse", set("disabled"), notActive + "disabled" + retry},
		{"a failing warehouse", "warehouse", set("failing"), notActive + "failing" + retry},
		{"an untested warehouse", "warehouse", set("untested"), notActive + "untested" + retry},
		{"a warehouse without its plan", "warehouse", func(ctx context.Context, s *sourced) error {
			return s.Workspaces.SetPlan(ctx, "acme", "free")
		}, notActive + "disabled" + retry},
		{"a deleted warehouse", "warehouse", func(ctx context.Context, s *sourced) error {
			return s.Connections.DeleteConnection(ctx, s.owner, s.connection)
		}, "The connection of this dashboard was deleted. Publish it again with another one."},
		{"a warehouse of another workspace", "warehouse", func(ctx context.Context, s *sourced) error {
			second, err := s.Workspaces.CreateWorkspace(ctx, s.owner.Account(), "second", "Second")
			s.reader = second
			return err
		}, "The connection belongs to another workspace than the dashboard, so it can never refresh it. " +
			"Publish again with a connection of this workspace."},
		{"a warehouse whose owner left", "warehouse", func(ctx context.Context, s *sourced) error {
			if _, err := s.Members.AddMember(ctx, uuid.Nil, "acme", "bob@example.com", store.RoleOwner); err != nil {
				return err
			}
			bob, err := s.Members.Member(ctx, s.bob, "acme")
			if err != nil {
				return err
			}
			s.reader = bob
			return s.Members.RemoveMember(ctx, "acme", "ada@example.com")
		}, "The owner of the connection is no longer a member of the workspace. Publish again with a connection of your own."},
		{"a warehouse whose credentials are lost", "warehouse", func(ctx context.Context, s *sourced) error {
			_, err := s.pool.Exec(ctx, `UPDATE connection SET secret = '\x00' WHERE id = $1`, s.connection)
			return err
		}, "Could not verify the connection: The address and password of this connection can no longer be read. Type them again."},
		{"a kind that is no longer reached", "warehouse", func(ctx context.Context, s *sourced) error {
			_, err := s.pool.Exec(ctx, `UPDATE connection SET kind = 'mysql' WHERE id = $1`, s.connection)
			return err
		}, "Could not verify the connection: this installation cannot reach warehouses of the kind mysql"},
		{"a deleted file", "file", func(ctx context.Context, s *sourced) error {
			_, err := s.Uploads.DeleteUpload(ctx, s.owner, s.files[0].Upload)
			return err
		}, "The uploaded file was deleted. Publish the dashboard again with another one."},
		{"files that are switched off", "file", set("disabled"), `Connection "Uploaded files" is not active (status: disabled` + retry},
		{"deleted files", "file", func(ctx context.Context, s *sourced) error {
			return s.Connections.DeleteConnection(ctx, s.owner, s.connection)
		}, "The connection of this dashboard was deleted. Publish it again with another one."},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := t.Context()
			s := newSourced(t, c.from)
			if c.spoil != nil {
				if err := c.spoil(ctx, s); err != nil {
					t.Fatal(err)
				}
			}
			if s.reader.WorkspaceID() != s.owner.WorkspaceID() { // the dashboard is there, and its connection is not
				s.publish(t)
			}
			tr, err := s.Refreshes.TriggerRefresh(ctx, s.reader, "s")
			left := s.Rates.Left(ctx, s.Rates.RefreshBudget(), s.reader.WorkspaceID().String())
			runs, runsErr := s.Refreshes.Runs(ctx, s.reader, "s", 5)
			if runsErr != nil {
				t.Fatal(runsErr)
			}
			if c.want == "" {
				if err != nil || tr.Run.State != store.RunQueued || len(runs) != 2 || left != 4 {
					t.Errorf("%+v, %v; %d runs, %d left of the budget", tr, err, len(runs), left)
				}
				return
			}
			refusal(t, err, c.want)
			if len(runs) != 1 || left != 5 {
				t.Errorf("%d runs, %d left of the budget", len(runs), left)
			}
			// The refresh itself, which a schedule would queue, fails for the same reason.
			_, err = s.Connections.JobSource(ctx, store.Job{Workspace: s.reader.WorkspaceID(), Connection: s.connection, Files: s.files})
			if no, ok := message.As(err); err == nil || ok && no.Error() != c.want {
				t.Errorf("a refresh: %v", err)
			}
		})
	}
}

// sourced is a workspace with a dashboard s of a source, which has been refreshed once.
type sourced struct {
	bench
	bob        uuid.UUID    // who has no workspace yet
	reader     store.Member // the member who requests a refresh
	connection uuid.UUID
	files      store.Files
}

func newSourced(t *testing.T, from string) *sourced {
	t.Helper()
	s := &sourced{bench: setup(t, func(o *store.Options) {
		o.Keys, o.Engine, o.DefaultPlan, o.RefreshBudget = keys(t, key(1)), &engine{}, "paid", 5
		o.Warehouses = map[string]store.Open{"postgres": func(to warehouse.Target) (warehouse.Connector, error) { return far{target: to}, nil }}
	})}
	s.bob, s.reader = s.account(t, "bob@example.com"), s.owner
	switch from {
	case "warehouse":
		c, err := s.Connections.AddWarehouse(t.Context(), s.owner, "postgres", "Sales", somewhere)
		if err == nil {
			c, err = s.Connections.TestConnection(t.Context(), s.owner, c.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		s.connection = c.ID
	case "file":
		up, err := s.Uploads.AddUpload(t.Context(), s.owner, "a.csv", []byte("n\n1\n"))
		if err != nil {
			t.Fatal(err)
		}
		s.connection, s.files = up.Connection.ID, store.OneFile(up.Upload.ID)
	}
	s.publish(t)
	return s
}

func (s *sourced) publish(t *testing.T) {
	t.Helper()
	p, err := s.Dashboards.Publish(t.Context(), s.reader, store.Publication{
		Slug: "s", Filename: "index.html", DefaultName: "S", DefaultChart: "kpi", Spec: &dashboard.Spec{}, ContentType: "application/json",
		Content: []byte("{}"), Connection: s.connection, Files: s.files, Definitions: map[string][]byte{"d": []byte("same")},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.finish(t, p, 1)
}
