package server

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"service/store/limit"
)

const (
	maxAnswers          = 256 << 20 // bytes of answers that are in memory
	maxAnswersOfAccount = 64 << 20  // of these, of one account
	largeAnswer         = 8 << 20   // reserved for a page, a picture or a file until its size is known
	smallAnswer         = 256 << 10 // reserved for the answer of a tool, or a list
	stretch             = 64 << 10  // bytes written at once, between two looks at the pace
	pace                = 64 << 10  // bytes a second that a reader takes at least while others wait
)

// Answers count the bytes of answers that are in memory, for the process and for each account: from the moment that a request gets its
// slot, when a size is reserved, until its answer is written. A [Queue] admits no request whose answer does not fit: it
// waits in its turn. Nothing is refused for its size, so the count can exceed the limits by what the requests that
// hold a slot make in excess of their reservations.
type Answers struct {
	queues []*Queue // of the requests

	mu      sync.Mutex
	usage   limit.Usage[uuid.UUID]
	short   bool // a request did not fit, and no answer has ended since
	looking bool // a timer runs that looks for slow readers
	writing map[*paced]struct{}
}

// NewAnswers returns what counts the answers to requests of these queues.
func NewAnswers(queues ...*Queue) *Answers {
	return &Answers{queues: queues, writing: map[*paced]struct{}{}}
}

// A keptAnswer is one that is counted. Its methods do nothing on nil.
type keptAnswer struct {
	of   *Answers
	size int64 // to reserve, in bytes

	// Guarded by the mutex of Answers.
	account uuid.UUID
	held    int64
	counted bool
}

type answerKey struct{} // the *keptAnswer of a request, or of a call of a batch

// counting returns a context in which a request that is admitted is counted with a reservation of size bytes.
func (b *Answers) counting(ctx context.Context, size int64) (context.Context, *keptAnswer) {
	a := &keptAnswer{of: b, size: size}
	return context.WithValue(ctx, answerKey{}, a), a
}

func answerOf(ctx context.Context) *keptAnswer {
	a, _ := ctx.Value(answerKey{}).(*keptAnswer)
	return a
}

// Kept sets how many bytes of memory the answer to the request of ctx takes. Before that, the request counts as a large one.
func Kept(ctx context.Context, bytes int) { answerOf(ctx).is(int64(bytes)) }

// reserve counts the answer to a request of an account and reports whether it fits. An answer that is counted already fits. What an
// account has in memory is in the way of its calls and pages, and not of its screens: its owner may come to revoke the token of a
// client that does not read its answers.
func (a *keptAnswer) reserve(account uuid.UUID, r Rank) bool {
	if a == nil {
		return true
	}
	b := a.of
	b.mu.Lock()
	defer b.mu.Unlock()
	if a.counted {
		return true
	}
	own, all := b.usage.Of[account], b.usage.Total
	if r != Screens && own > 0 && own+a.size > maxAnswersOfAccount || all > 0 && all+a.size > maxAnswers {
		b.short = true
		b.look()
		return false
	}
	a.account, a.counted = account, true
	b.add(a, a.size)
	return true
}

// add changes what an answer holds. b.mu is held.
func (b *Answers) add(a *keptAnswer, n int64) {
	a.held += n
	b.usage.Add(a.account, n)
}

// is sets the size of the answer in place of its reservation.
func (a *keptAnswer) is(bytes int64) {
	if a == nil {
		return
	}
	a.of.mu.Lock()
	more := bytes - a.held
	if a.counted {
		a.of.add(a, more)
	}
	again := a.counted && more < 0 && a.of.short
	if again {
		a.of.short = false
	}
	a.of.mu.Unlock()
	if again {
		a.of.again()
	}
}

// written ends the count of the answer: it is written, or there is none.
func (a *keptAnswer) written() { a.is(0) }

// again admits requests that fit by now.
func (b *Answers) again() {
	for _, q := range b.queues {
		q.fair.Recheck()
	}
}

// look cuts off readers that are too slow, now and each second while requests wait. b.mu is held.
func (b *Answers) look() {
	if b.looking || b.usage.Total <= maxAnswers/2 {
		return // what an account has of its own is in nobody else's way
	}
	b.looking = true
	time.AfterFunc(time.Second, func() {
		b.mu.Lock()
		b.looking = false
		if b.short && b.usage.Total > maxAnswers/2 {
			for w := range b.writing {
				w.hasten(time.Now())
			}
			b.look()
		}
		b.mu.Unlock()
	})
}

// paced is a ResponseWriter that measures how quickly its reader takes the answer.
type paced struct {
	http.ResponseWriter
	of   *Answers
	conn *http.ResponseController

	// Guarded by the mutex of Answers.
	since time.Time     // when the write under way began
	spent time.Duration // in writes before
	taken int64         // bytes
}

// watch has Answers cut readers off that keep memory from others: see [paced.hasten].
func (b *Answers) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&paced{ResponseWriter: w, of: b, conn: http.NewResponseController(w)}, r)
	})
}

// counted counts the answer to each request of a host with pages.
func (b *Answers) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, a := b.counting(r.Context(), largeAnswer)
		defer a.written()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// Unwrap is for [http.ResponseController].
func (w *paced) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush sends what is buffered.
func (w *paced) Flush() { _ = w.conn.Flush() } // a writer that cannot flush sends it at the end

func (w *paced) Write(p []byte) (n int, err error) {
	for first := true; first || err == nil && n < len(p); first = false {
		part := p[n:min(n+stretch, len(p))]
		w.of.mu.Lock()
		w.since = time.Now()
		w.of.writing[w] = struct{}{}
		w.of.mu.Unlock()

		var wrote int
		wrote, err = w.ResponseWriter.Write(part)
		n += wrote

		w.of.mu.Lock()
		delete(w.of.writing, w)
		w.spent += time.Since(w.since)
		w.taken += int64(wrote)
		w.of.mu.Unlock()
	}
	return n, err
}

// hasten ends a write whose reader has taken less than [pace] since the answer began, if that is longer ago than [settling].
// The mutex of Answers is held.
func (w *paced) hasten(now time.Time) {
	spent := w.spent + now.Sub(w.since)
	if spent >= settling && float64(w.taken) < pace*spent.Seconds() {
		_ = w.conn.SetWriteDeadline(time.Unix(1, 0)) // where that is not supported, the writer's own limit ends it
	}
}
