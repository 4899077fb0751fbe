package browsertest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// patience is the time limit of one step. It is long because test machines are busy.
const patience = 60 * time.Second

// shared is the Chromium of this test binary. It is a package variable because there is
// no other way for tests to share it.
var shared struct {
	once sync.Once
	ctx  context.Context
	err  error
}

// names are the names of Chromium's program. The first one has no window, which is not
// needed here: it takes a little more than half of the processor time.
var names = []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

var errNone = errors.New("no Chromium is installed")

func start() (context.Context, error) {
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
			chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
			// Starting a process for each site of each tab takes longer than showing most pages.
			chromedp.Flag("disable-site-isolation-trials", true), chromedp.Flag("renderer-process-limit", "2"),
		)
		allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, _ := chromedp.NewContext(allocator)
		return ctx, chromedp.Do(ctx) // the first call starts it
	}
	return nil, errNone
}

// Main runs the tests and stops the Chromium, if one was started. Call it from
// TestMain; it does not return.
func Main(m *testing.M) {
	code := m.Run()
	if err := Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = cmp.Or(code, 1)
	}
	os.Exit(code)
}

// Stop ends the Chromium, if one was started. Call it from TestMain.
func Stop() error {
	if shared.ctx == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(shared.ctx, 20*time.Second)
	defer cancel()
	return chromedp.Cancel(ctx)
}

// A Tab is a page in its own browser context. The test fails when a step fails or the
// console reports an error.
type Tab struct {
	testing.TB
	ctx      context.Context
	console  iter.Seq2[chromedp.ConsoleMessage, error]
	expected []string
}

// Open opens an empty page, in which all hosts below localhost are this machine and the
// time zone is UTC. Without Chromium it skips the test, or fails it if CI=true.
func Open(t testing.TB) *Tab {
	t.Helper()
	b := &Tab{TB: t, ctx: open(t, t)}
	b.watch()
	return b
}

// Tabs are tabs that tests reuse, because opening one takes as long as several pages.
type Tabs struct {
	life testing.TB // the tabs are closed when it ends

	mu   sync.Mutex
	free []context.Context
}

// NewTabs returns tabs for the subtests of t. They are opened when they are needed.
func NewTabs(t testing.TB) *Tabs { return &Tabs{life: t} }

// Take is [Open] for a test that needs no cookies and no storage of its own: the tab may
// still show the last page of an earlier test. Errors of its console fail only t.
func (p *Tabs) Take(t testing.TB) *Tab {
	t.Helper()
	p.mu.Lock()
	b := &Tab{TB: t}
	if n := len(p.free); n > 0 {
		b.ctx, p.free = p.free[n-1], p.free[:n-1]
	}
	p.mu.Unlock()
	if b.ctx == nil {
		b.ctx = open(t, p.life)
	}
	t.Cleanup(func() {
		if !t.Failed() { // after a failure the tab's state is unknown
			p.mu.Lock()
			defer p.mu.Unlock()
			p.free = append(p.free, b.ctx)
		}
	})
	b.watch()
	return b
}

// open opens an empty page for t, and closes it when life ends.
func open(t, life testing.TB) context.Context {
	t.Helper()
	shared.once.Do(func() { shared.ctx, shared.err = start() })
	if errors.Is(shared.err, errNone) && os.Getenv("CI") != "true" {
		t.Skip(shared.err)
	}
	if shared.err != nil {
		t.Fatalf("starting a browser: %v", shared.err)
	}
	ctx, cancel := chromedp.NewContext(shared.ctx, chromedp.WithNewBrowserContext())
	life.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // the first call opens the page, and must not have a time limit
		t.Fatal(err)
	}
	return ctx
}

// watch begins a test's use of the tab.
func (b *Tab) watch() {
	b.Helper()
	b.console = chromedp.Console(b.ctx)
	b.Cleanup(b.listen)
	b.Zone("UTC") // independent of the machine's zone
}

// Expect requires the console to report an error that contains words.
func (b *Tab) Expect(words string) { b.expected = append(b.expected, words) }

// listen reads the console. The test fails for errors that were not expected, and for
// expected errors that are missing.
func (b *Tab) listen() {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	const last = "this is the last message"
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`console.debug("`+last+`"), true`)); err != nil {
		b.Errorf("the page is gone: %v", err)
		return
	}
	var seen []string
	for m, err := range b.console {
		if err != nil {
			b.Error(err)
			return
		}
		if m.Text == last {
			break
		}
		if !m.IsException() && m.Type != "error" && m.Type != "warning" && m.Type != "assert" {
			continue
		}
		if i := slices.IndexFunc(b.expected, func(words string) bool { return strings.Contains(m.Text, words) }); i >= 0 {
			seen = append(seen, b.expected[i])
			continue
		}
		b.Errorf("the console of %s complains: %s", m.URL, m)
	}
	for _, words := range b.expected {
		if !slices.Contains(seen, words) {
			b.Errorf("the console does not complain: %s", words)
		}
	}
}

// Do performs steps, one after the other.
func (b *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	for i, step := range steps {
		ctx, cancel := context.WithTimeout(b.ctx, patience)
		err := chromedp.Do(ctx, step)
		cancel()
		if err != nil {
			b.fail(fmt.Sprintf("step %d", i+1), err)
		}
	}
}

// Follow performs steps, the last of which opens another page, waits for that page and
// returns its HTTP status.
func (b *Tab) Follow(steps ...chromedp.Action[chromedp.Void]) (status int) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	res, err := chromedp.RunResponse(ctx, steps...)
	if err != nil {
		b.fail("going to another page", err)
	}
	return int(res.Status)
}

// Visit opens an address and returns the HTTP status.
func (b *Tab) Visit(address string) (status int) {
	b.Helper()
	return b.Follow(chromedp.Navigate(address))
}

// Run performs a step and returns its value.
func Run[T any](b *Tab, step chromedp.Action[T]) T {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, step)
	if err != nil {
		b.fail("reading the page", err)
	}
	return value
}

// Eval returns the value of a script in the page. If that is a promise, it awaits it.
func Eval[T any](b *Tab, script string) T {
	b.Helper()
	return Run(b, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}

// Text returns the text of the first element that matches a CSS selector, once it is
// visible.
func (b *Tab) Text(selector string) string {
	b.Helper()
	return Run(b, chromedp.Text(chromedp.CSS(selector), chromedp.NodeVisible))
}

// Address returns the address of the page.
func (b *Tab) Address() string {
	b.Helper()
	return Run(b, chromedp.Location())
}

// Scripts switches the scripts on or off for the pages that are opened next.
func (b *Tab) Scripts(on bool) {
	b.Helper()
	b.emulate("setScriptExecutionDisabled", map[string]any{"value": !on})
}

// Zone sets the browser's time zone.
func (b *Tab) Zone(name string) {
	b.Helper()
	b.emulate("setTimezoneOverride", map[string]any{"timezoneId": name})
}

func (b *Tab) emulate(what string, params map[string]any) {
	b.Helper()
	b.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		return t.Call(ctx, "Emulation."+what, params, nil)
	}))
}

// fail ends the test and reports the text of the page.
func (b *Tab) fail(what string, err error) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 5*time.Second)
	defer cancel()
	const look = `location.href + "\n" + document.body.innerText.slice(0, 4000)`
	page, _ := chromedp.Run(ctx, chromedp.Evaluate[string](look)) // if that fails, page is empty
	b.Fatalf("%s: %v\n%s", what, err, page)
}
