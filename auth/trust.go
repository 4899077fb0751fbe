package auth

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"service/store"
	"service/store/message"
)

// maxTrustText is the longest issuer, audience and subject, in characters.
const maxTrustText = 500

// CheckTrust returns the refusal of a trust's issuer, audience or subject, or nil. An issuer is https; on this machine it may be http.
func CheckTrust(t store.Trust) error {
	issuer, subject := t.Issuer, t.Subject
	for _, part := range [][2]string{{"issuer", issuer}, {"audience", t.Audience}, {"subject", subject}} {
		if part[1] == "" || utf8.RuneCountInString(part[1]) > maxTrustText {
			return message.Refuse("%s must have 1 to %d characters", part[0], maxTrustText)
		}
	}
	u, err := url.Parse(issuer)
	switch {
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return message.Refuse(`issuer "%s" must be the address that the tokens have as iss, such as https://token.actions.githubusercontent.com`,
			issuer)
	case u.Scheme == "http" && (u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1"):
	case u.Scheme != "https":
		return message.Refuse(`issuer "%s" must be https: its keys would be fetched in clear`, issuer)
	}
	if lead, _, _ := strings.Cut(subject, "*"); len(lead) < minLead {
		return message.Refuse(`subject "%s" must begin with at least %d characters in front of its first *: everybody has an account at a `+
			`public issuer`, subject, minLead)
	}
	return nil
}

// minLead is the least number of characters before the first * of a pattern. The shortest one of GitHub, with only the name of an
// organization, is longer: repo:acme/.
const minLead = 6
