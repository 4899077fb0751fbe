package main

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"service/auth"
)

// networks are a list of addresses and CIDR networks.
type networks []netip.Prefix

// UnmarshalText parses addresses and networks, separated by commas.
func (n *networks) UnmarshalText(text []byte) error {
	*n = nil
	for part := range strings.SplitSeq(string(text), ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(part)
		if ip, ipErr := netip.ParseAddr(part); ipErr == nil {
			prefix, err = netip.PrefixFrom(ip, ip.BitLen()), nil
		}
		if err != nil {
			return fmt.Errorf(`"%s" is neither an address nor a network such as 10.0.0.0/8`, part)
		}
		*n = append(*n, prefix.Masked())
	}
	return nil
}

// MarshalText is the inverse of UnmarshalText.
func (n networks) MarshalText() ([]byte, error) {
	var parts []string
	for _, prefix := range n {
		parts = append(parts, prefix.String())
	}
	return []byte(strings.Join(parts, ",")), nil
}

// days is a duration that may be given in days, such as 400d.
type days time.Duration

// UnmarshalText parses days, or a duration of Go.
func (d *days) UnmarshalText(text []byte) error {
	if number, ok := strings.CutSuffix(string(text), "d"); ok {
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n > 100_000 {
			return fmt.Errorf(`"%s" is not a number of days such as 400d`, text)
		}
		*d = days(time.Duration(n) * 24 * time.Hour)
		return nil
	}
	exact, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf(`"%s" is neither a number of days such as 400d nor of hours such as 48h`, text)
	}
	*d = days(exact)
	return nil
}

// An amount is a number of bytes, such as 500MiB or 5GiB; off is 0, which means no limit.
type amount int

// UnmarshalText parses MiB and GiB, of 2 to the power of 20 and 30.
func (a *amount) UnmarshalText(text []byte) error {
	s, unit := string(text), 0
	switch {
	case s == "off":
		*a = 0
		return nil
	case strings.HasSuffix(s, "MiB"):
		unit = 1 << 20
	case strings.HasSuffix(s, "GiB"):
		unit = 1 << 30
	}
	n, err := strconv.Atoi(s[:max(len(s)-3, 0)])
	if err != nil || unit == 0 || n < 1 || n > 1_000_000 {
		return fmt.Errorf(`"%s" is neither off nor an amount such as 500MiB or 5GiB`, text)
	}
	*a = amount(n * unit)
	return nil
}

// MarshalText is the inverse of UnmarshalText.
func (a amount) MarshalText() ([]byte, error) {
	switch {
	case a == 0:
		return []byte("off"), nil
	case a%(1<<30) == 0:
		return fmt.Appendf(nil, "%dGiB", a>>30), nil
	}
	return fmt.Appendf(nil, "%dMiB", a>>20), nil
}

// MarshalText is the inverse of UnmarshalText.
func (d days) MarshalText() ([]byte, error) {
	if exact := time.Duration(d); exact%(24*time.Hour) != 0 {
		return []byte(exact.String()), nil
	}
	return fmt.Appendf(nil, "%dd", time.Duration(d)/(24*time.Hour)), nil
}

// schemes are private-use schemes of clients, such as myclient.
type schemes []string

// UnmarshalText parses schemes, separated by commas.
func (s *schemes) UnmarshalText(text []byte) error {
	*s = nil
	for part := range strings.SplitSeq(string(text), ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if err := auth.CheckRedirectScheme(part); err != nil {
			return err
		}
		*s = append(*s, part)
	}
	return nil
}

// MarshalText is the inverse of UnmarshalText.
func (s schemes) MarshalText() ([]byte, error) { return []byte(strings.Join(s, ",")), nil }
