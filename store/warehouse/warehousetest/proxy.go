package warehousetest

import (
	"bytes"
	"net"
	"sync"
	"testing"
	"time"
)

// A Proxy carries connections to a server, until it turns into one that does not
// answer, or hardly.
type Proxy struct {
	Address string

	listener net.Listener
	server   string
	mu       sync.Mutex
	way      way
	marker   []byte
	turn     func(*Proxy)
	delay    time.Duration
	open     int
}

type way int

const (
	carrying  way = iota
	silent        // nothing more is said to anybody
	trickling     // a byte at a time
)

// NewProxy carries connections to server, which is host:port, until the test
// ends or Close.
func NewProxy(t testing.TB, server string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Address: l.Addr().String(), listener: l, server: server}
	t.Cleanup(p.Close)
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			p.count(1)
			go p.carry(client)
		}
	}()
	return p
}

// Close stops taking connections.
func (p *Proxy) Close() { p.listener.Close() }

// connections counts the connections that clients have not closed.
func (p *Proxy) connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open
}

func (p *Proxy) count(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open += n
}

// silence lets nothing more through to any client, old or new.
func (p *Proxy) silence() { p.become(silent) }

// trickle lets ten bytes a second through to each client.
func (p *Proxy) trickle() { p.become(trickling) }

// Delay makes the way to the server, and back, take d longer.
func (p *Proxy) Delay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

func (p *Proxy) become(w way) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.way = w
}

// when turns the proxy before a client's text is passed on.
func (p *Proxy) when(text string, turn func(*Proxy)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.marker, p.turn = []byte(text), turn
}

func (p *Proxy) is() way {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.way
}

func (p *Proxy) carry(client net.Conn) {
	defer p.count(-1)
	defer client.Close()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	go p.answer(client, server)
	buf := make([]byte, 64<<10)
	for { // until the client closes, whatever it says
		n, err := client.Read(buf)
		if err != nil {
			return
		}
		p.mu.Lock()
		marker, turn, delay := p.marker, p.turn, p.delay
		p.mu.Unlock()
		time.Sleep(delay)
		if turn != nil && bytes.Contains(buf[:n], marker) {
			turn(p)
		}
		if p.is() != silent {
			server.Write(buf[:n])
		}
	}
}

// answer passes on what the server says, in the way that the proxy has now.
func (p *Proxy) answer(client, server net.Conn) {
	buf := make([]byte, 64<<10)
	for {
		n, err := server.Read(buf)
		if err != nil {
			if p.is() == carrying {
				client.Close()
			}
			return
		}
		for said := buf[:n]; len(said) > 0; {
			n := len(said)
			switch p.is() {
			case silent:
				said = nil
				continue
			case trickling:
				time.Sleep(100 * time.Millisecond)
				n = 1
			}
			if _, err := client.Write(said[:n]); err != nil {
				return
			}
			said = said[n:]
		}
	}
}
