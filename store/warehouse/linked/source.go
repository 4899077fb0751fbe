package linked

import (
	"cmp"
	"net"
	"net/url"
	"path"
	"strconv"
	"strings"

	"service/store/dashboard"
	"service/store/message"
	"service/store/pattern"
	"service/store/warehouse"
	"service/store/warehouse/google"
	"service/store/warehouse/sts"
)

// MaxFiles is the number of files of a connection, those of patterns included.
const MaxFiles = 20

// A source is the address of files and the credentials that sign requests for them.
type source struct {
	target warehouse.Target
	base   url.URL         // scheme and host
	bucket string          // the first part of paths; empty if the host is that of the bucket
	keys   *sts.Keys       // nil unless the host is an S3
	bearer string          // a token; empty for none
	google *google.Account // nil for none
	tables []table
}

// A table is a table of the connection, and the files that it consists of.
type table struct {
	name string
	// path is the path of a file, without the bucket, or a pattern with * and {day}. It may have a query.
	path   string
	format string // the ending of the file's name, such as .parquet
}

// pattern reports whether the table is made of all files that match its path.
func (t table) pattern() bool { return strings.Contains(t.path, "*") }

// region finds the region in the name of a host of Amazon S3.
var region = pattern.New(`(?:^|\.)s3[.-](?:dualstack\.)?([a-z]{2}(?:-[a-z]+)+-[0-9])\.amazonaws\.com$`)

// parse reads a target. Its host has the files, its place lists them, and its database is their bucket, or a region, a slash and their
// bucket. With a user, the user and the password are an access key of S3. Without one, the password is a bearer token, or the key of a
// Google service account.
func parse(t warehouse.Target) (*source, error) {
	s := &source{target: t, base: url.URL{Scheme: "https", Host: t.Host}, bucket: strings.Trim(t.Database, "/")}
	if t.Port != 443 {
		s.base.Host = net.JoinHostPort(t.Host, strconv.Itoa(t.Port))
	}
	at := ""
	if before, after, ok := strings.Cut(s.bucket, "/"); ok {
		at, s.bucket = before, after
	}
	switch {
	case strings.ContainsAny(t.Host, "/@?# "):
		return nil, message.Refuse("host must be the name of a host without https:// and path, as in acme.s3.eu-central-1.amazonaws.com")
	case t.User != "":
		if t.Password == "" {
			return nil, warehouse.Errorf(warehouse.Auth, "The access key is incomplete: paste its id and its secret.")
		}
		if m := region.FindStringSubmatch(t.Host); m != nil && at == "" {
			at = m[1]
		}
		var err error // without a region, that of Cloudflare R2 and Google; others ignore it
		if s.keys, err = sts.New(t, cmp.Or(at, "auto"), "s3"); err != nil {
			return nil, err
		}
	case s.bucket != "":
		return nil, message.Refuse("user must be the id of an access key for a bucket; for a file of a web address, leave the bucket empty")
	case strings.HasPrefix(strings.TrimSpace(t.Password), "{"):
		account, err := google.ParseAccount(t.Password)
		if err != nil {
			return nil, err
		}
		s.google = account
	default:
		s.bearer = t.Password
	}
	if strings.ContainsFunc(s.bearer+t.User, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, warehouse.Errorf(warehouse.Auth, "The access key or token contains a character that cannot be sent. Paste it again.")
	}
	return s, s.list(t.Place)
}

// list reads the lines of the field that lists files.
func (s *source) list(lines string) error {
	var known []dashboard.Upload
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if len(s.tables) == MaxFiles {
			return message.Refuse("place must list at most %d files", MaxFiles)
		}
		t, err := s.table(line)
		if err != nil {
			return err
		}
		if err := dashboard.CheckTable(t.name, known); err != nil {
			return message.Refuse("place %s", err.Error())
		}
		known = append(known, dashboard.Upload{Table: t.name})
		s.tables = append(s.tables, t)
	}
	if len(s.tables) == 0 {
		return message.Refuse("place must list at least one file, as in orders = exports/orders.parquet")
	}
	return nil
}

// named matches a line with a name: "orders = exports/orders.parquet".
var named = pattern.New(`^([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.+)$`)

// sheet matches the address of a Google spreadsheet.
var sheet = pattern.New(`^https://docs\.google\.com/spreadsheets/d/([A-Za-z0-9_-]{20,100})(?:/|$)`)

// signed matches parameters that allow anyone with the address to read a file.
var signed = pattern.New(`(?i)[?&](x-amz-signature|x-goog-signature|signature|sig|token|access_token)=`)

// table reads one line.
func (s *source) table(line string) (t table, err error) {
	at := line
	if m := named.FindStringSubmatch(line); m != nil {
		t.name, at = m[1], m[2]
	}
	if m := sheet.FindStringSubmatch(at); m != nil {
		if s.google == nil {
			return t, message.Refuse("password must be the key of a service account that may read the spreadsheet")
		}
		t.path, t.format = "drive/v3/files/"+m[1]+"/export?mimeType="+url.QueryEscape(workbook), ".xlsx"
		if t.name == "" {
			return t, message.Refuse("place must name the table of a spreadsheet, as in budget = https://docs.google.com/…")
		}
		return t, nil
	}
	if rest, ok := strings.CutPrefix(at, "https://"); ok {
		host, after, _ := strings.Cut(rest, "/")
		if !strings.EqualFold(host, s.base.Host) {
			return t, message.Refuse("place must list files of the host alone: add another connection for another host")
		}
		at = after
	}
	t.path = strings.TrimPrefix(at, "/")
	file, _, _ := strings.Cut(t.path, "?")
	t.format = strings.ToLower(path.Ext(file))
	if t.name == "" {
		t.name = strings.ToLower(strings.NewReplacer("-", "_", " ", "_", ".", "_").Replace(strings.TrimSuffix(path.Base(file), path.Ext(file))))
	}
	u, err := url.Parse("/" + t.path)
	switch {
	case strings.Contains(at, "://"), err != nil, u.Fragment != "", strings.ContainsAny(file, "\\{}") && !strings.Contains(file, "{day}"):
		return t, message.Refuse("place must list paths such as exports/orders.parquet, one a line")
	case signed.MatchString(t.path):
		return t, message.Refuse("place must not contain a signature or token: it is shown on this page. " +
			"Use an access key, or a token as password")
	case !formats[t.format]:
		return t, message.Refuse("place must list files that end in .parquet, .csv, .tsv, .json, .ndjson or .xlsx")
	case strings.Contains(t.path, "*") && s.keys == nil:
		return t, message.Refuse("place may contain * only for a bucket with an access key: other hosts do not list files")
	case strings.Count(file, "*") > 1 || strings.Count(file, "{day}") > 1:
		return t, message.Refuse("place may contain * and {day} once in a line")
	case strings.Contains(file, "{day}") && !strings.Contains(file, "*"):
		return t, message.Refuse("place needs a * behind {day}, as in events/{day}/*.parquet")
	case strings.Contains(file, "*") && t.format != ".parquet":
		return t, message.Refuse("place may contain * for .parquet files only")
	}
	return t, nil
}

// formats are the endings of files that can be read.
var formats = map[string]bool{
	".parquet": true, ".csv": true, ".tsv": true, ".json": true, ".ndjson": true, ".jsonl": true, ".xlsx": true,
}

// address returns the address of a file.
func (s *source) address(file string) *url.URL {
	u := s.base
	file, u.RawQuery, _ = strings.Cut(file, "?")
	u.Path = "/" + file
	if s.bucket != "" {
		u.Path = "/" + s.bucket + u.Path
	}
	return &u
}
