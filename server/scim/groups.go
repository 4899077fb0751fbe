package scim

import (
	"errors"
	"net/http"
	"strings"

	"github.com/elimity-com/scim"
	"github.com/elimity-com/scim/optional"

	"service/store"
)

type groups struct{ *handler }

// Create provisions a group.
func (g *groups) Create(r *http.Request, attributes scim.ResourceAttributes) (scim.Resource, error) {
	return g.put(r, store.ScimGroup{}, attributes)
}

// Get returns a group.
func (g *groups) Get(r *http.Request, id string) (scim.Resource, error) {
	group, err := g.group(r, id)
	if err != nil {
		return scim.Resource{}, err
	}
	return choose(r, groupSchema, groupResource(group)), nil
}

func (g *groups) group(r *http.Request, id string) (store.ScimGroup, error) {
	parsed, err := idOf(id)
	if err != nil {
		return store.ScimGroup{}, err
	}
	group, err := g.Store.Scim.ScimGroup(r.Context(), parsed)
	return group, g.failed(r, id, err)
}

// GetAll lists groups.
func (g *groups) GetAll(r *http.Request, params scim.ListRequestParams) (scim.Page, error) {
	var name string
	if found := byKey.FindStringSubmatch(r.URL.Query().Get("filter")); found != nil && strings.EqualFold(found[1], "displayName") {
		name = found[2]
	}
	list, err := g.Store.Scim.ScimGroups(r.Context(), name)
	if err != nil {
		return scim.Page{}, g.failed(r, "", err)
	}
	all := make([]scim.Resource, len(list))
	for i, group := range list {
		all[i] = groupResource(group)
	}
	return page(r, groupSchema, all, params)
}

// Replace replaces all attributes of a group.
func (g *groups) Replace(r *http.Request, id string, attributes scim.ResourceAttributes) (scim.Resource, error) {
	group, err := g.group(r, id)
	if err != nil {
		return scim.Resource{}, err
	}
	return g.put(r, group, attributes)
}

// Patch changes attributes of a group, such as single members.
func (g *groups) Patch(r *http.Request, id string, operations []scim.PatchOperation) (scim.Resource, error) {
	group, err := g.group(r, id)
	if err != nil {
		return scim.Resource{}, err
	}
	attributes := groupAttributes(group)
	if group.ExternalID != "" {
		attributes["externalId"] = group.ExternalID
	}
	if err := applyAll(attributes, groupSchema, operations); err != nil {
		return scim.Resource{}, err
	}
	return g.put(r, group, attributes)
}

// Delete deletes a group: memberships that it alone gives end.
func (g *groups) Delete(r *http.Request, id string) error {
	parsed, err := idOf(id)
	if err != nil {
		return err
	}
	return g.failed(r, id, g.Store.Scim.DeleteScimGroup(r.Context(), parsed))
}

func (g *groups) put(r *http.Request, group store.ScimGroup, attributes scim.ResourceAttributes) (scim.Resource, error) {
	group.Name, group.ExternalID = strings.TrimSpace(text(attributes["displayName"])), text(attributes["externalId"])
	if group.Name == "" || len(group.Name) > 300 || len(group.ExternalID) > 500 ||
		strings.ContainsAny(group.Name+group.ExternalID, "\x00\r\n") {
		return scim.Resource{}, badValue("displayName must be one line of 1 to 300 characters, and externalId of at most 500.")
	}
	var err error
	if group.Members, err = parsedIDs(attributes["members"]); err != nil {
		return scim.Resource{}, err
	}
	stored, err := g.Store.Scim.PutScimGroup(r.Context(), group)
	if errors.Is(err, store.ErrNotFound) {
		return scim.Resource{}, badValue("A member is not a User here. Groups inside of groups are not supported.")
	}
	if err != nil {
		return scim.Resource{}, g.failed(r, group.ID.String(), err)
	}
	return choose(r, groupSchema, groupResource(stored)), nil
}

func groupResource(group store.ScimGroup) scim.Resource {
	out := scim.Resource{ID: group.ID.String(), Attributes: groupAttributes(group), Meta: meta(group.CreatedAt, group.UpdatedAt)}
	if group.ExternalID != "" {
		out.ExternalID = optional.NewString(group.ExternalID)
	}
	return out
}

func groupAttributes(group store.ScimGroup) scim.ResourceAttributes {
	members := make([]any, len(group.Members))
	for i, id := range group.Members {
		members[i] = map[string]any{"value": id.String(), "type": "User"}
	}
	return scim.ResourceAttributes{"displayName": group.Name, "members": members}
}
