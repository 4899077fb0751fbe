package archive

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// variables are the environment variables of PostgreSQL's programs for the settings of a connection string.
var variables = map[string]string{
	"host": "PGHOST", "hostaddr": "PGHOSTADDR", "port": "PGPORT", "dbname": "PGDATABASE", "database": "PGDATABASE",
	"user": "PGUSER", "password": "PGPASSWORD", "passfile": "PGPASSFILE", "service": "PGSERVICE", "servicefile": "PGSERVICEFILE",
	"sslmode": "PGSSLMODE", "sslcert": "PGSSLCERT", "sslkey": "PGSSLKEY", "sslrootcert": "PGSSLROOTCERT", "sslcrl": "PGSSLCRL",
	"sslsni": "PGSSLSNI", "sslnegotiation": "PGSSLNEGOTIATION", "channel_binding": "PGCHANNELBINDING", "gssencmode": "PGGSSENCMODE",
	"krbsrvname": "PGKRBSRVNAME", "target_session_attrs": "PGTARGETSESSIONATTRS", "connect_timeout": "PGCONNECT_TIMEOUT",
	"options": "PGOPTIONS",
}

var errConninfo = errors.New("not a PostgreSQL connection string") // parsers repeat the password

// environment returns the environment in which a program of PostgreSQL reaches the database of a connection string: its settings, and the
// relevant variables of environ. It leaves out settings of pools and of sessions.
func environment(dsn string, environ []string) ([]string, error) {
	env := map[string]string{"LC_ALL": "C", "TZ": "UTC"}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if name == "PATH" || name == "HOME" || strings.HasPrefix(name, "PG") {
			env[name] = value
		}
	}
	settings, err := parseConninfo(dsn)
	if err != nil {
		return nil, err
	}
	for key, value := range settings {
		if key == "sslpassword" {
			return nil, fmt.Errorf("DATABASE_URL has sslpassword, which pg_dump takes from no environment variable: use a key without one")
		}
		if name := variables[key]; name != "" && value != "" {
			env[name] = value
		}
	}
	var list []string
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list, nil
}

// parseConninfo reads both forms of a connection string: a URL, and keywords with values.
func parseConninfo(dsn string) (map[string]string, error) {
	if !strings.HasPrefix(dsn, "postgres://") && !strings.HasPrefix(dsn, "postgresql://") {
		return parseKeywords(dsn)
	}
	// Several hosts with ports are not a valid host of a URL.
	scheme, rest, _ := strings.Cut(dsn, "://")
	authority, tail := rest, ""
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		authority, tail = rest[:i], rest[i:]
	}
	credentials, hosts := "", authority
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		credentials, hosts = authority[:i+1], authority[i+1:]
	}
	u, err := url.Parse(scheme + "://" + credentials + "host" + tail)
	if err != nil {
		return nil, errConninfo
	}
	settings := map[string]string{"user": u.User.Username(), "dbname": strings.TrimPrefix(u.Path, "/")}
	settings["password"], _ = u.User.Password()
	var names, ports []string
	for address := range strings.SplitSeq(hosts, ",") {
		host, port := address, ""
		if i := strings.LastIndexByte(address, ':'); i > strings.LastIndexByte(address, ']') {
			host, port = address[:i], address[i+1:]
		}
		if host, err = url.PathUnescape(strings.Trim(host, "[]")); err != nil {
			return nil, errConninfo
		}
		names, ports = append(names, host), append(ports, port)
	}
	settings["host"], settings["port"] = strings.Join(names, ","), strings.Join(ports, ",")
	if strings.Trim(settings["port"], ",") == "" {
		settings["port"] = ""
	}
	for key, values := range u.Query() {
		settings[key] = values[0]
	}
	return settings, nil
}

// parseKeywords reads "host=db user=service password='it\'s'" like libpq: a backslash escapes the next character.
func parseKeywords(dsn string) (map[string]string, error) {
	const blanks = " \t\r\n\f\v"
	settings := map[string]string{}
	for rest := strings.TrimLeft(dsn, blanks); rest != ""; rest = strings.TrimLeft(rest, blanks) {
		key, value, found := strings.Cut(rest, "=")
		key, rest = strings.Trim(key, blanks), strings.TrimLeft(value, blanks)
		if !found || key == "" || strings.ContainsAny(key, blanks) {
			return nil, errConninfo
		}
		quoted := strings.HasPrefix(rest, "'")
		rest = strings.TrimPrefix(rest, "'")
		var text strings.Builder
		i := 0
		for ; i < len(rest); i++ {
			c := rest[i]
			if c == '\'' && quoted || !quoted && strings.IndexByte(blanks, c) >= 0 {
				break
			}
			if c == '\\' && i+1 < len(rest) {
				i++
				c = rest[i]
			}
			text.WriteByte(c)
		}
		if quoted && i == len(rest) {
			return nil, errConninfo // no closing quote
		}
		rest = rest[min(i+1, len(rest)):]
		settings[key] = text.String()
	}
	return settings, nil
}
