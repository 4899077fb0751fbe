package warehousetest

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// A Proxy forwards connections to a server until it is made silent or slow.
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
	silent        // nothing more is sent to any client
	trickling     // a byte at a time
)

// NewProxy forwards connections to server, a host:port, until the test ends or Close is called.
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

// Close stops accepting connections.
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

// silence sends nothing more to any client, old or new.
func (p *Proxy) silence() { p.become(silent) }

// trickle sends ten bytes a second to each client.
func (p *Proxy) trickle() { p.become(trickling) }

// Delay adds d to the time to the server, and to the time back.
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

// when calls turn before the proxy forwards a client's text.
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
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		p.answer(client, server)
	}()
	buf := make([]byte, 64<<10)
	for { // until the client closes the connection
		n, err := client.Read(buf)
		if err != nil {
			if errors.Is(err, io.EOF) && p.is() == carrying { // the client may still read
				_ = server.(*net.TCPConn).CloseWrite()
				<-answered
			}
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

// answer forwards the server's bytes in the proxy's current mode.
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
