package linked

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"service/store/pattern"
	"service/store/warehouse"
	"service/store/warehouse/duckdb"
)

const (
	tailBytes = 64 << 10 // that are fetched of a Parquet file at first: most footers are shorter
	maxSize   = 1 << 40  // bytes of a Parquet file
	maxFooter = 8 << 20  // bytes of its footer
	piece     = 8 << 20  // bytes of one request
	maxBroken = 3        // tries of a request whose answer ends too early
)

// look asks for the present state of a file, and returns its entry for use. The caller releases it.
func (f *Files) look(ctx context.Context, s *session, c *connector, path, format, what string) (*entry, error) {
	k := key{c.tenant.Workspace, c.identity, path}
	known := f.cache.find(k)
	e, err := f.ask(ctx, s, c, k, known, format, what)
	if known != nil && e != known {
		f.cache.release(known)
	}
	return e, err
}

// ask requests a file, the end of a Parquet file, unless it is in the state of a known entry.
func (f *Files) ask(ctx context.Context, s *session, c *connector, k key, known *entry, format, what string) (*entry, error) {
	header := map[string]string{}
	switch {
	case known == nil:
	case known.mark.etag != "":
		header["If-None-Match"] = known.mark.etag
	default:
		header["If-Modified-Since"] = known.mark.modified
	}
	if format == ".parquet" {
		header["Range"] = "bytes=-" + strconv.Itoa(tailBytes)
	}
	response, err := s.get(ctx, s.source.address(k.path), header, what)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusNotModified && known != nil:
		return known, nil
	case response.StatusCode == http.StatusNotModified:
		return nil, errForm
	case known != nil && known.mark == markOf(response):
		return known, nil // the host ignores conditions, and the file has not changed
	case format != ".parquet":
		return f.convert(ctx, s, c, k, response, format, what)
	case response.StatusCode == http.StatusOK:
		return f.whole(ctx, s, k, response, what)
	}
	e, err := f.tail(ctx, s, k, response, what)
	if err != nil || e.mark.known() {
		return e, err
	}
	// Parts of a file whose states the host does not identify could be of different ones.
	f.cache.release(e)
	delete(header, "Range")
	all, err := s.get(ctx, s.source.address(k.path), header, what)
	if err != nil {
		return nil, err
	}
	defer all.Body.Close()
	if all.StatusCode != http.StatusOK {
		return nil, errForm
	}
	return f.whole(ctx, s, k, all, what)
}

// markOf returns the state that an answer is of. A weak ETag does not identify bytes, nor does a time that is not well before that of the
// answer (RFC 9110, 8.8.2.2).
func markOf(r *http.Response) mark {
	if tag := r.Header.Get("ETag"); len(tag) > 1 && tag[0] == '"' {
		return mark{etag: tag}
	}
	changed, err1 := http.ParseTime(r.Header.Get("Last-Modified"))
	sent, err2 := http.ParseTime(r.Header.Get("Date"))
	if err1 == nil && err2 == nil && sent.Sub(changed) >= time.Minute {
		return mark{modified: r.Header.Get("Last-Modified")}
	}
	return mark{}
}

// create makes an entry of a file of size bytes.
func (f *Files) create(k key, m mark, size int64) (*entry, error) {
	file, err := f.engine.Scratch()
	if err != nil {
		return nil, internal(err)
	}
	if err := file.Truncate(size); err != nil {
		file.Close()
		return nil, internal(err)
	}
	return &entry{key: k, mark: m, size: size, file: file}, nil
}

// contentRange matches the header of a part.
var contentRange = pattern.New(`^bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18})$`)

// partOf returns the part that an answer has, and the size of its file.
func partOf(r *http.Response) (part span, size int64, ok bool) {
	m := contentRange.FindStringSubmatch(r.Header.Get("Content-Range"))
	if m == nil || r.StatusCode != http.StatusPartialContent {
		return part, 0, false
	}
	from, _ := strconv.ParseInt(m[1], 10, 64)
	last, _ := strconv.ParseInt(m[2], 10, 64)
	size, _ = strconv.ParseInt(m[3], 10, 64)
	return span{from, last + 1}, size, from <= last && last < size && (r.ContentLength < 0 || r.ContentLength == last+1-from)
}

// tail makes an entry of the end of a Parquet file, with its footer.
func (f *Files) tail(ctx context.Context, s *session, k key, response *http.Response, what string) (*entry, error) {
	part, size, ok := partOf(response)
	switch {
	case !ok || part.to != size || part.to-part.from > tailBytes:
		return nil, errForm
	case size > maxSize:
		return nil, warehouse.Errorf(warehouse.TooLarge, "%s is larger than %s.", what, warehouse.Size(maxSize))
	}
	e, err := f.create(k, markOf(response), size)
	if err != nil {
		return nil, err
	}
	f.cache.add(e)
	err = f.receive(s, e, response.Body, part)
	if err == nil {
		err = f.footer(ctx, s, e, what)
	}
	if err != nil {
		f.cache.forget(e)
		f.cache.release(e)
		return nil, err
	}
	return e, nil
}

// footer fetches the missing part of the footer.
func (f *Files) footer(ctx context.Context, s *session, e *entry, what string) error {
	var last [8]byte
	if e.size < 12 {
		return notParquet(what)
	}
	if _, err := e.file.ReadAt(last[:], e.size-8); err != nil {
		return internal(err)
	}
	length := int64(binary.LittleEndian.Uint32(last[:]))
	if !bytes.Equal(last[4:], []byte("PAR1")) || length > e.size-12 {
		return notParquet(what)
	}
	if length > maxFooter {
		return warehouse.Errorf(warehouse.TooLarge, "The footer of %s has more than %s. Save it with larger row groups, or fewer columns.",
			what, warehouse.Size(maxFooter))
	}
	if !e.mark.known() {
		return nil // it is fetched whole
	}
	// The engine reads the magic number too.
	return f.fetch(ctx, s, e, []span{{0, 4}, {e.size - 8 - length, e.size}}, what)
}

func notParquet(what string) error {
	return warehouse.Errorf(warehouse.Syntax, "The host has no Parquet file for %s.", what)
}

// receive writes a part to the file of e.
func (f *Files) receive(s *session, e *entry, body io.Reader, part span) error {
	n, err := io.CopyN(io.NewOffsetWriter(e.file, part.from), meter{body, s}, part.to-part.from)
	if n > 0 {
		f.cache.got(e, span{part.from, part.from + n})
	}
	return err
}

// whole makes an entry of a Parquet file that was fetched in one piece.
func (f *Files) whole(ctx context.Context, s *session, k key, response *http.Response, what string) (*entry, error) {
	if response.ContentLength > s.left.Load() {
		return nil, s.over(response.ContentLength)
	}
	e, err := f.create(k, markOf(response), 0)
	if err != nil {
		return nil, err
	}
	n, err := io.Copy(e.file, meter{response.Body, s})
	if err == nil {
		e.size, e.whole, e.held, e.have = n, true, n, []span{{0, n}}
		err = f.footer(ctx, s, e, what)
	}
	if err != nil {
		e.file.Close()
		return nil, err
	}
	f.cache.add(e)
	return e, nil
}

// convert makes an entry of a file that is not Parquet, as of an uploaded one.
func (f *Files) convert(
	ctx context.Context, s *session, c *connector, k key, response *http.Response, format, what string,
) (*entry, error) {
	if response.StatusCode != http.StatusOK {
		return nil, errForm
	}
	long := warehouse.Errorf(warehouse.TooLarge, "%s is larger than %d MiB, the limit of files that are not Parquet. Save it as Parquet, of "+
		"which only the columns and rows that a query needs are read.", what, duckdb.MaxFile>>20)
	if response.ContentLength > duckdb.MaxFile {
		return nil, long
	}
	data, err := io.ReadAll(io.LimitReader(meter{response.Body, s}, duckdb.MaxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > duckdb.MaxFile {
		return nil, long
	}
	in, err := f.engine.Ingest(ctx, c.tenant, warehouse.DataFile{Name: "file" + format, Data: data})
	if bad, ok := errors.AsType[*warehouse.Error](err); ok {
		named := *bad
		named.Message = what + " cannot be read: " + bad.Message
		return nil, &named
	}
	if err != nil {
		return nil, err
	}
	e, err := f.create(k, markOf(response), 0)
	if err != nil {
		return nil, err
	}
	n := int64(len(in.Parquet))
	if _, err := e.file.WriteAt(in.Parquet, 0); err != nil {
		e.file.Close()
		return nil, internal(err)
	}
	e.size, e.whole, e.held, e.have = n, true, n, []span{{0, n}}
	f.cache.add(e)
	return e, nil
}

// fetch adds parts to e that it lacks.
func (f *Files) fetch(ctx context.Context, s *session, e *entry, parts []span, what string) error {
	if e.whole {
		return nil
	}
	release, err := e.alone(ctx)
	if err != nil {
		return err
	}
	defer release()
	var pieces []span
	total := int64(0)
	for _, part := range parts {
		for _, m := range f.cache.missing(e, part) {
			total += m.to - m.from
			for at := m.from; at < m.to; at += piece {
				pieces = append(pieces, span{at, min(m.to, at+piece)})
			}
		}
	}
	if total > s.left.Load() {
		return s.over(total)
	}
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(parallel)
	for _, p := range pieces {
		all.Go(func() error { return f.fetchPiece(ctx, s, e, p, what) })
	}
	return all.Wait()
}

// fetchPiece adds one part. An answer that ends too early is asked for again.
func (f *Files) fetchPiece(ctx context.Context, s *session, e *entry, p span, what string) error {
	header := map[string]string{"Range": "bytes=" + strconv.FormatInt(p.from, 10) + "-" + strconv.FormatInt(p.to-1, 10)}
	if e.mark.etag != "" {
		header["If-Match"] = e.mark.etag
	} else {
		header["If-Unmodified-Since"] = e.mark.modified
	}
	for try := 1; ; try++ {
		err := f.once(ctx, s, e, p, header, what)
		_, known := errors.AsType[*warehouse.Error](err)
		if err == nil || known || errors.Is(err, errChanged) || errors.Is(err, errInternal) || ctx.Err() != nil || try == maxBroken {
			return err
		}
	}
}

func (f *Files) once(ctx context.Context, s *session, e *entry, p span, header map[string]string, what string) error {
	response, err := s.get(ctx, s.source.address(e.key.path), header, what)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	part, size, ok := partOf(response)
	switch {
	case markOf(response) != e.mark || ok && size != e.size:
		return errChanged
	case !ok || part != p:
		return errForm
	}
	return f.receive(s, e, response.Body, p)
}
