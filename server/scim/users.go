package scim

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/elimity-com/scim"
	"github.com/elimity-com/scim/optional"
	"github.com/google/uuid"

	"service/store"
	"service/store/pattern"
)

type users struct{ *handler }

// byKey is the filter by which providers look for one person or group. It is answered by an index.
var byKey = pattern.New(`(?i)^\s*(userName|externalId|displayName)\s+eq\s+"([^"\\]+)"\s*$`)

// Create provisions a person.
func (u *users) Create(r *http.Request, attributes scim.ResourceAttributes) (scim.Resource, error) {
	return u.put(r, store.ScimUser{}, attributes)
}

// Get returns a person.
func (u *users) Get(r *http.Request, id string) (scim.Resource, error) {
	user, err := u.user(r, id)
	if err != nil {
		return scim.Resource{}, err
	}
	return chosenUser(r, user)
}

func (u *users) user(r *http.Request, id string) (store.ScimUser, error) {
	parsed, err := idOf(id)
	if err != nil {
		return store.ScimUser{}, err
	}
	user, err := u.Store.Scim.ScimUser(r.Context(), parsed)
	return user, u.failed(r, id, err)
}

// GetAll lists people.
func (u *users) GetAll(r *http.Request, params scim.ListRequestParams) (scim.Page, error) {
	var name, external string
	if found := byKey.FindStringSubmatch(r.URL.Query().Get("filter")); found != nil {
		switch strings.ToLower(found[1]) {
		case "username":
			name = found[2]
		case "externalid":
			external = found[2]
		}
	}
	list, err := u.Store.Scim.ScimUsers(r.Context(), name, external)
	if err != nil {
		return scim.Page{}, u.failed(r, "", err)
	}
	all := make([]scim.Resource, len(list))
	for i, user := range list {
		if all[i], err = userResource(user); err != nil {
			return scim.Page{}, u.failed(r, "", err)
		}
	}
	return page(r, userSchema, all, params)
}

// Replace replaces all attributes of a person.
func (u *users) Replace(r *http.Request, id string, attributes scim.ResourceAttributes) (scim.Resource, error) {
	user, err := u.user(r, id)
	if err != nil {
		return scim.Resource{}, err
	}
	return u.put(r, user, attributes)
}

// Patch changes attributes of a person.
func (u *users) Patch(r *http.Request, id string, operations []scim.PatchOperation) (scim.Resource, error) {
	user, err := u.user(r, id)
	if err != nil {
		return scim.Resource{}, err
	}
	resource, err := userResource(user)
	if err != nil {
		return scim.Resource{}, u.failed(r, id, err)
	}
	attributes := resource.Attributes
	if user.ExternalID != "" {
		attributes["externalId"] = user.ExternalID
	}
	if err := applyAll(attributes, userSchema, operations); err != nil {
		return scim.Resource{}, err
	}
	return u.put(r, user, attributes)
}

// Delete removes a person, with all their sessions and grants.
func (u *users) Delete(r *http.Request, id string) error {
	parsed, err := idOf(id)
	if err != nil {
		return err
	}
	return u.failed(r, id, u.Store.Scim.DeleteScimUser(r.Context(), parsed))
}

// put stores a person with new attributes.
func (u *users) put(r *http.Request, user store.ScimUser, attributes scim.ResourceAttributes) (scim.Resource, error) {
	delete(attributes, "password") // people sign in at the provider
	delete(attributes, "groups")   // derived from groups (RFC 7643, 4.1.2)
	user.UserName = text(attributes["userName"])
	user.ExternalID = text(attributes["externalId"])
	delete(attributes, "externalId")
	if user.UserName = strings.TrimSpace(user.UserName); user.UserName == "" || len(user.UserName) > 500 || len(user.ExternalID) > 500 {
		return scim.Resource{}, badValue("userName must have 1 to 500 characters, and externalId at most 500.")
	}
	if user.ID == uuid.Nil {
		user.Active = true
	}
	if active, there := attributes["active"]; there {
		value, ok := active.(bool)
		if !ok {
			return scim.Resource{}, badValue("active must be true or false.")
		}
		user.Active = value
	}
	attributes["active"] = user.Active
	body, err := json.Marshal(attributes)
	if err != nil {
		return scim.Resource{}, u.failed(r, "", err)
	}
	if strings.Contains(string(body), `\u0000`) {
		return scim.Resource{}, badValue("A value has a character that cannot be stored.")
	}
	user.Body = body
	person := store.ScimPerson{Issuer: u.Issuer, Email: emailOf(attributes), Name: nameOf(attributes)}
	stored, err := u.Store.Scim.PutScimUser(r.Context(), user, person)
	if err != nil {
		return scim.Resource{}, u.failed(r, user.ID.String(), err)
	}
	return chosenUser(r, stored)
}

func chosenUser(r *http.Request, u store.ScimUser) (scim.Resource, error) {
	out, err := userResource(u)
	return choose(r, userSchema, out), err
}

func userResource(u store.ScimUser) (scim.Resource, error) {
	out := scim.Resource{ID: u.ID.String(), Meta: meta(u.CreatedAt, u.UpdatedAt)}
	if u.ExternalID != "" {
		out.ExternalID = optional.NewString(u.ExternalID)
	}
	return out, json.Unmarshal(u.Body, &out.Attributes)
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// emailOf is the primary address of a person, or else the first; or the user name, if it is an address.
func emailOf(attributes scim.ResourceAttributes) string {
	var first string
	list, _ := attributes["emails"].([]any)
	for _, item := range list {
		email, _ := item.(map[string]any)
		value := text(email["value"])
		if email["primary"] == true {
			first = value
			break
		}
		if first == "" {
			first = value
		}
	}
	if first == "" {
		first = text(attributes["userName"])
	}
	if first = strings.ToLower(strings.TrimSpace(first)); strings.Count(first, "@") != 1 || strings.HasPrefix(first, "@") ||
		strings.HasSuffix(first, "@") {
		return ""
	}
	return first
}

// nameOf returns the name that others use for a person.
func nameOf(attributes scim.ResourceAttributes) string {
	if name := text(attributes["displayName"]); name != "" {
		return name
	}
	name, _ := attributes["name"].(map[string]any)
	if formatted := text(name["formatted"]); formatted != "" {
		return formatted
	}
	return strings.TrimSpace(text(name["givenName"]) + " " + text(name["familyName"]))
}

// parsedIDs parses ids of people in a group.
func parsedIDs(list any) ([]uuid.UUID, error) {
	items, _ := list.([]any)
	out := make([]uuid.UUID, 0, len(items))
	for _, item := range items {
		member, _ := item.(map[string]any)
		id, err := uuid.Parse(text(member["value"]))
		if err != nil {
			return nil, badValue("A member must have the id of a User as its value.")
		}
		out = append(out, id)
	}
	return out, nil
}
