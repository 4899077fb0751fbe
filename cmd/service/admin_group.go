package main

import (
	"context"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"service/store"
)

// groups has the operator's commands for groups of the identity provider.
func (p *program) groups() *cobra.Command {
	return group("group", "Map groups of the identity provider to workspaces", p.groupMap(), p.groupList(), p.groupUnmap())
}

func (p *program) groupMap() *cobra.Command {
	cmd := p.onStore("map <group> <workspace> owner|editor|viewer", "Make the people of a group members of a workspace", 3,
		func(ctx context.Context, s *store.Store, args []string) error {
			if err := s.Members.MapGroup(ctx, uuid.Nil, args[1], args[0], args[2]); err != nil {
				return noWorkspace(err, args[1])
			}
			return p.say("The people of group %s are members of workspace %s as %s.", args[0], args[1], args[2])
		})
	cmd.Long = "Make the people of a group of the identity provider members of a workspace, or change their\n" +
		"role. A person in several groups has the highest role. People who leave the group leave the\n" +
		"workspace, with their grants and sessions: at once by SCIM, by a claim when they next sign in\n" +
		"or their session is extended. Members who were added by hand, and the last owner, stay."
	cmd.Example = "  service admin group map analysts acme editor"
	return cmd
}

func (p *program) groupList() *cobra.Command {
	return p.onStore("list", "List the groups that are mapped to workspaces", 0, func(ctx context.Context, s *store.Store, _ []string) error {
		list, err := s.Members.GroupMaps(ctx, "")
		if err != nil {
			return err
		}
		t := p.table("WORKSPACE", "ROLE", "MEMBERS", "CREATED", "GROUP")
		for _, g := range list {
			t.row(g.Workspace, g.Role, g.People, g.CreatedAt, g.Group)
		}
		return t.Flush()
	})
}

func (p *program) groupUnmap() *cobra.Command {
	cmd := p.onStore("unmap <group> <workspace>", "Remove the mapping of a group to a workspace", 2,
		func(ctx context.Context, s *store.Store, args []string) error {
			if err := s.Members.UnmapGroup(ctx, uuid.Nil, args[1], args[0]); err != nil {
				return named(err, `group "%s" makes nobody a member of a workspace "%s": see service admin group list`, args[0], args[1])
			}
			return p.say("Group %s makes nobody a member of workspace %s any more.", args[0], args[1])
		})
	cmd.Long = "Remove the mapping of a group to a workspace. People who are members only by this group\n" +
		"lose the membership, with their grants and sessions in the workspace."
	return cmd
}
