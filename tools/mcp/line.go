package mcp

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// lastAnswers is how long the calls that came before the end of the input may take.
const lastAnswers = 20 * time.Second

// patient is a transport whose end of input is told once all that was asked before has been answered: the SDK drops what is at work then.
type patient struct{ sdk.Transport }

// Connect implements sdk.Transport.
func (p patient) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &patientLine{Connection: c, idle: make(chan struct{}), broken: make(chan struct{})}, nil
}

type patientLine struct {
	sdk.Connection
	mu     sync.Mutex
	open   int           // calls that are not answered yet
	ended  bool          // the input
	idle   chan struct{} // is closed when nothing is open behind the end
	broken chan struct{} // is closed with the line
	once   sync.Once
}

// Read counts calls, and waits at the end for their answers.
func (l *patientLine) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := l.Connection.Read(ctx)
	if err == nil {
		if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
			l.count(1)
		}
		return m, nil
	}
	l.end()
	late := time.NewTimer(lastAnswers)
	defer late.Stop()
	select {
	case <-l.idle:
	case <-l.broken:
	case <-ctx.Done():
	case <-late.C:
	}
	return nil, err
}

// Write counts answers.
func (l *patientLine) Write(ctx context.Context, m jsonrpc.Message) error {
	err := l.Connection.Write(ctx, m)
	if _, ok := m.(*jsonrpc.Response); ok {
		l.count(-1)
	}
	return err
}

// Close ends the line at once.
func (l *patientLine) Close() error {
	l.once.Do(func() { close(l.broken) })
	return l.Connection.Close()
}

func (l *patientLine) count(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open += n; l.ended && l.open == 0 {
		close(l.idle)
	}
}

func (l *patientLine) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended && l.open == 0 {
		close(l.idle)
	}
	l.ended = true
}
