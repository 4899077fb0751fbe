package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"service/store"
	"service/store/dashboard"
)

// checkPeople checks the settings of groups, attributes and SCIM, which the identity provider manages.
func (c *config) checkPeople(wrong *mistakes) {
	if strings.ContainsAny(c.OIDCGroups, " \t,") {
		wrong.add(`SERVICE_OIDC_GROUPS_CLAIM: "%s" is not the name of a claim such as groups`, c.OIDCGroups)
	}
	if c.OIDCGroups != "" && c.OIDCIssuer == "" {
		wrong.add("SERVICE_OIDC_GROUPS_CLAIM: the development identity provider has no groups: set SERVICE_OIDC_ISSUER too")
	}
	for i, token := range c.scimTokens() {
		if len(token) < minSCIMToken || strings.ContainsAny(token, " \t\r\n") {
			wrong.add("SERVICE_SCIM_TOKEN: token %d must have at least %d characters and no spaces; "+
				"openssl rand -hex 32 makes one", i+1, minSCIMToken)
		}
	}
	if c.SCIMToken != "" && c.OIDCIssuer == "" {
		wrong.add("SERVICE_SCIM_TOKEN: the people whom SCIM provisions sign in at SERVICE_OIDC_ISSUER: set it too")
	}
	if strings.ContainsAny(c.SCIMClaim, " \t,") {
		wrong.add(`SERVICE_SCIM_CLAIM: "%s" is not the name of a claim such as oid`, c.SCIMClaim)
	}
	if c.Demo && (c.Creators.Nobody || len(c.Creators.Domains) > 0) {
		wrong.add("SERVICE_DEMO: its people make workspaces, and SERVICE_WORKSPACE_CREATION does not let anyone")
	}
}

// minSCIMToken is the least length of a token for SCIM, so that nobody can guess it.
const minSCIMToken = 32

// scimTokens are the tokens for SCIM; none: it is off.
func (c *config) scimTokens() []string {
	if c.SCIMToken == "" {
		return nil
	}
	return strings.Split(c.SCIMToken, ",")
}

// A claimMap names the claims that give attributes, such as region,team=department.
type claimMap map[string]string

// UnmarshalText parses attributes, separated by commas, each with its claim unless that has the same name.
func (m *claimMap) UnmarshalText(text []byte) error {
	*m = claimMap{}
	for part := range strings.SplitSeq(string(text), ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, claim, other := strings.Cut(part, "=")
		if !other {
			claim = name
		}
		name, claim = strings.TrimSpace(name), strings.TrimSpace(claim)
		if !dashboard.CheckAttribute(name) || claim == "" {
			return fmt.Errorf(`"%s" is neither an attribute such as region nor one with its claim such as region=department`, part)
		}
		if _, twice := (*m)[name]; twice {
			return fmt.Errorf(`attribute "%s" is there twice`, name)
		}
		(*m)[name] = claim
	}
	return nil
}

// MarshalText is the inverse of UnmarshalText.
func (m claimMap) MarshalText() ([]byte, error) {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, name+"="+m[name])
	}
	return []byte(strings.Join(parts, ",")), nil
}

// creators are the people who may make workspaces.
type creators store.Creators

// UnmarshalText parses anyone, operators, or domains of e-mail addresses, separated by commas.
func (w *creators) UnmarshalText(text []byte) error {
	*w = creators{}
	switch string(text) {
	case "anyone":
		return nil
	case "operators":
		w.Nobody = true
		return nil
	}
	for part := range strings.SplitSeq(string(text), ",") {
		domain := strings.ToLower(strings.TrimSpace(part))
		if !strings.Contains(strings.Trim(domain, "."), ".") || strings.ContainsAny(domain, "@*/ ") || strings.Trim(domain, ".") != domain {
			return fmt.Errorf(`"%s" must be anyone, operators, or domains such as example.com, with commas`, text)
		}
		w.Domains = append(w.Domains, domain)
	}
	return nil
}

// MarshalText is the inverse of UnmarshalText.
func (w creators) MarshalText() ([]byte, error) {
	switch {
	case w.Nobody:
		return []byte("operators"), nil
	case len(w.Domains) == 0:
		return []byte("anyone"), nil
	}
	return []byte(strings.Join(w.Domains, ",")), nil
}
