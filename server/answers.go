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
	maxAnswers          = 256 << 20 // limit of the bytes of answers in memory
	maxAnswersOfAccount = 64 << 20  // limit for one account
	largeAnswer         = 8 << 20   // reserved for a page, a picture or a file until its size is known
	smallAnswer         = 256 << 10 // reserved for the answer of a tool, or for a list
	stretch             = 64 << 10  // bytes written at once, between two checks of the pace
	pace                = 64 << 10  // bytes a second that a reader must take at least while others wait
)

// Answers counts the bytes of answers in memory, per process and per account. The count of an answer begins with a reservation when
// the request gets its slot, and ends when the answer is written. A [Queue] does not admit a request whose answer does not fit; the
// request keeps waiting. No answer is refused for its size, so the count exceeds the limits if answers are larger than their
// reservations.
type Answers struct {
	queues []*Queue // of the requests

	mu      sync.Mutex
	usage   limit.Usage[uuid.UUID]
	short   bool // a request did not fit, and no answer has been written since
	looking bool // a timer that looks for slow readers is running
	writing map[*paced]struct{}
}

// NewAnswers returns a counter of the answers to requests of these queues.
func NewAnswers(queues ...*Queue) *Answers {
	return &Answers{queues: queues, writing: map[*paced]struct{}{}}
}

// A keptAnswer is an answer that is counted. Its methods do nothing on nil.
type keptAnswer struct {
	of   *Answers
	size int64 // to reserve, in bytes

	// Guarded by the mutex of Answers.
	account uuid.UUID
	held    int64
	counted bool
}

type answerKey struct{} // the *keptAnswer of a request, or of a call of a batch

// counting returns a context whose request reserves size bytes when it is admitted.
func (b *Answers) counting(ctx context.Context, size int64) (context.Context, *keptAnswer) {
	a := &keptAnswer{of: b, size: size}
	return context.WithValue(ctx, answerKey{}, a), a
}

func answerOf(ctx context.Context) *keptAnswer {
	a, _ := ctx.Value(answerKey{}).(*keptAnswer)
	return a
}

// Kept sets the size in memory of the answer to the request of ctx, in bytes. Until then, the reservation of the request counts instead.
func Kept(ctx context.Context, bytes int) { answerOf(ctx).is(int64(bytes)) }

// reserve counts the answer to a request of an account and reports whether it fits. An answer that is counted already fits. The
// limit of an account applies to its calls and pages but not to its screens, so that its owner can still revoke the token of a
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

// add changes the counted size of an answer. b.mu must be held.
func (b *Answers) add(a *keptAnswer, n int64) {
	a.held += n
	b.usage.Add(a.account, n)
}

// is replaces the reservation of the answer by its size.
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

// written ends the count of the answer, because it is written or there is no answer.
func (a *keptAnswer) written() { a.is(0) }

// again admits the waiting requests that fit now.
func (b *Answers) again() {
	for _, q := range b.queues {
		q.fair.Recheck()
	}
}

// look starts a timer that cuts off slow readers each second while requests wait. b.mu must be
// held.
func (b *Answers) look() {
	if b.looking || b.usage.Total <= maxAnswers/2 {
		return // then requests wait only for answers of their own account
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
	since time.Time     // beginning of the current write
	spent time.Duration // time spent in earlier writes
	taken int64         // bytes the reader has taken
}

// watch lets Answers cut off readers of next that hold memory for which others wait: see
// [paced.hasten].
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

// Flush sends the buffered bytes.
func (w *paced) Flush() { _ = w.conn.Flush() } // a writer that cannot flush sends them at the end

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

// hasten ends the current write if its reader has taken less than [pace] in all writes of the answer, and these took longer
// than [settling]. The mutex of Answers must be held.
func (w *paced) hasten(now time.Time) {
	spent := w.spent + now.Sub(w.since)
	if spent >= settling && float64(w.taken) < pace*spent.Seconds() {
		_ = w.conn.SetWriteDeadline(time.Unix(1, 0)) // if that is not supported, the writer's own limit ends the write
	}
}
