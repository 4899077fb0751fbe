package linked

import (
	"context"
	"encoding/xml"
	"net/url"
	"slices"
	"strings"
	"time"

	"service/store/warehouse"
)

// Bounds of lists.
const (
	maxLists = 5 // answers of one list
	maxDays  = 7 // that {day} may be back
)

// paths returns the paths of the files of a table, at most most of them.
func (c *connector) paths(ctx context.Context, s *session, t table, most int) ([]string, error) {
	if !t.pattern() {
		return []string{t.path}, nil
	}
	if !strings.Contains(t.path, "{day}") {
		found, err := s.list(ctx, t, t.path, most)
		if err == nil && len(found) == 0 {
			err = none(t)
		}
		return found, err
	}
	today := s.now().UTC()
	for back := range maxDays {
		day := today.AddDate(0, 0, -back).Format(time.DateOnly)
		found, err := s.list(ctx, t, strings.ReplaceAll(t.path, "{day}", day), most)
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, none(t)
}

func none(t table) error {
	return warehouse.Errorf(warehouse.Unknown, `The bucket has no files for table "%s". Check its pattern.`, t.name)
}

// list returns the paths of the files that match a pattern, in order: ListObjectsV2 in the "Amazon S3 API Reference".
func (s *session) list(ctx context.Context, t table, pattern string, most int) (paths []string, err error) {
	before, after, _ := strings.Cut(pattern, "*")
	next := ""
	for range maxLists {
		at := s.source.address("")
		query := url.Values{"list-type": {"2"}, "prefix": {before}}
		if next != "" {
			query.Set("continuation-token", next)
		}
		at.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20")
		response, err := s.get(ctx, at, nil, `table "`+t.name+`"`)
		if err != nil {
			return nil, err
		}
		body, err := s.small(response.Body)
		response.Body.Close()
		if err != nil {
			return nil, err
		}
		var answer struct {
			XMLName   xml.Name `xml:"ListBucketResult"`
			Truncated bool     `xml:"IsTruncated"`
			Next      string   `xml:"NextContinuationToken"`
			Contents  []struct {
				Key  string `xml:"Key"`
				Size int64  `xml:"Size"`
			} `xml:"Contents"`
		}
		if err := xml.Unmarshal(body, &answer); err != nil {
			return nil, errForm
		}
		for _, o := range answer.Contents {
			rest, ok := strings.CutPrefix(o.Key, before)
			if !ok {
				return nil, errForm
			}
			if rest, ok = strings.CutSuffix(rest, after); ok && !strings.ContainsAny(rest, "/?#%") && o.Size > 0 {
				paths = append(paths, o.Key)
			}
		}
		if len(paths) > most {
			return nil, warehouse.Errorf(warehouse.TooLarge, `Table "%s" has more files than the %d that a connection may have. `+
				"Narrow its pattern, for example to one {day}.", t.name, MaxFiles)
		}
		if !answer.Truncated {
			slices.Sort(paths)
			return paths, nil
		}
		if next = answer.Next; next == "" {
			return nil, errForm
		}
	}
	return nil, warehouse.Errorf(warehouse.TooLarge, `The bucket has too many files whose names begin as those of table "%s". `+
		"Narrow its pattern.", t.name)
}
