package mongotest

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// Mode is what a Proxy does with a message on its way to the server.
type Mode int

// The modes. Pass is the zero value.
const (
	Pass      Mode = iota // hands it on
	Delay                 // waits first
	Reset                 // breaks the connection instead of handing it on
	CutReply              // hands it on, waits for the reply, and breaks the connection instead of giving it back
	BlackHole             // takes it and what follows, and never answers
	HalfOpen              // hands it and what follows on, and swallows the replies
	Twice                 // hands it on, and gives the reply back twice
)

// Fault says which messages meet a Mode.
type Fault struct {
	Mode    Mode
	Command string        // only messages of this command, such as "insert"; "" = all
	Times   int           // only the next so many; 0 = until the next Set
	Wait    time.Duration // of Delay
}

// Proxy stands between client and server, message by message. Safe for concurrent use.
type Proxy struct {
	listener net.Listener
	target   string
	wg       sync.WaitGroup
	done     chan struct{}

	mu    sync.Mutex
	fault Fault
	hits  int
	conns map[net.Conn]bool
}

// StartProxy opens a proxy to the server at target (host:port) and closes it when the test ends.
func StartProxy(tb testing.TB, target string) *Proxy {
	tb.Helper()
	l, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &Proxy{listener: l, target: target, done: make(chan struct{}), conns: map[net.Conn]bool{}}
	p.wg.Go(p.accept)
	tb.Cleanup(p.close)
	return p
}

// URI returns a server's URI, led through the proxy.
func (p *Proxy) URI(of string) string {
	u, err := url.Parse(of)
	if err != nil {
		return of
	}
	u.Host = p.listener.Addr().String()
	return u.String()
}

// Set makes a fault the rule from the next message on. The zero Fault heals the line; connections that were
// broken or swallowed stay so.
func (p *Proxy) Set(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.hits = f, 0
}

// Hits returns how many messages met the fault since Set.
func (p *Proxy) Hits() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hits
}

func (p *Proxy) close() {
	close(p.done)
	_ = p.listener.Close()
	p.mu.Lock()
	for c := range p.conns {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.wg.Wait()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}

		server, err := new(net.Dialer).DialContext(context.Background(), "tcp", p.target)
		if err != nil {
			abort(client)
			continue
		}

		p.mu.Lock()
		p.conns[client], p.conns[server] = true, true
		p.mu.Unlock()
		l := &line{proxy: p, client: client, server: server}
		p.wg.Go(l.requests)
		p.wg.Go(l.replies)
	}
}

// meet says what happens to a message of this command.
func (p *Proxy) meet(command string) Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.fault
	if f.Mode == Pass || f.Command != "" && f.Command != command || f.Times > 0 && p.hits >= f.Times {
		return Fault{}
	}
	p.hits++
	return f
}

// line is one connection through the proxy.
type line struct {
	proxy          *Proxy
	client, server net.Conn

	mu   sync.Mutex
	mode Mode // what replies meet: Pass, CutReply, HalfOpen or, once, Twice
}

func (l *line) cut() {
	abort(l.client)
	abort(l.server)
}

func (l *line) replyMode(set Mode) Mode {
	l.mu.Lock()
	defer l.mu.Unlock()
	if set != Pass {
		l.mode = set
	}
	now := l.mode
	if now == Twice && set == Pass {
		l.mode = Pass
	}
	return now
}

func (l *line) requests() {
	// Each request meets the fault that is set for its command, and then goes on to the server.
	defer l.cut()
	for {
		message, err := readMessage(l.client)
		if err != nil {
			return
		}

		// A fault of the reply is only noted here: the request must arrive.
		switch f := l.proxy.meet(commandOf(message)); f.Mode {
		case Delay:
			select {
			case <-time.After(f.Wait):
			case <-l.proxy.done:
				return
			}
		case Reset:
			return
		case BlackHole:
			<-l.proxy.done
			return
		case CutReply, HalfOpen, Twice:
			l.replyMode(f.Mode)
		}
		if _, err := l.server.Write(message); err != nil {
			return
		}
	}
}

func (l *line) replies() {
	defer l.cut()
	for {
		message, err := readMessage(l.server)
		if err != nil {
			return
		}

		switch l.replyMode(Pass) {
		case CutReply:
			return
		case HalfOpen:
			continue
		case Twice:
			message = append(message, message...)
		}
		if _, err := l.client.Write(message); err != nil {
			return
		}
	}
}

// abort closes a connection so that the other side sees it reset, not ended.
func abort(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}

// readMessage reads one message of the wire protocol: its length in four bytes, then the rest of it.
func readMessage(r io.Reader) ([]byte, error) {
	const most = 64 << 20
	head := make([]byte, 4)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head)
	if n < 16 || n > most {
		return nil, io.ErrUnexpectedEOF
	}
	message := make([]byte, n)
	copy(message, head)
	_, err := io.ReadFull(r, message[4:])
	return message, err
}

// commandOf returns the command of a message, "" if it is none we know: the first key of its document, behind a
// header (16 bytes), flags (4), the kind of the section (1), the document's length (4) and the key's type (1).
func commandOf(message []byte) string {
	const opMsg, key = 2013, 26
	if len(message) <= key || binary.LittleEndian.Uint32(message[12:]) != opMsg || message[20] != 0 {
		return ""
	}
	name, _, found := strings.Cut(string(message[key:min(len(message), key+64)]), "\x00")
	if !found {
		return ""
	}
	return name
}
