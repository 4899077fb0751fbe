package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"service/store"
	"service/store/dashboard"
)

// checkPeople checks the settings of what the identity provider decides.
func (c *config) checkPeople(wrong *mistakes) {
	if strings.ContainsAny(c.OIDCGroups, " \t,") {
		wrong.add(`SERVICE_OIDC_GROUPS_CLAIM: "%s" is not the name of a claim such as groups`, c.OIDCGroups)
	}
	if c.OIDCGroups != "" && c.OIDCIssuer == "" {
		wrong.add("SERVICE_OIDC_GROUPS_CLAIM: the development identity provider has no groups: set SERVICE_OIDC_ISSUER too")
	}
	if c.Demo && (c.Creators.Nobody || len(c.Creators.Domains) > 0) {
		wrong.add("SERVICE_DEMO: its people make workspaces, and SERVICE_WORKSPACE_CREATION does not let anyone")
	}
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
