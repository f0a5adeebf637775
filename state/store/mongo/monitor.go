package mongo

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"
)

// Command is what Config.Span hears of a command: which and where, never a statement or a value. As
// attributes of a span they are db.operation.name, db.collection.name and db.namespace; db.system.name is
// "mongodb". The code that ends it (db.response.status_code) is 0 for success, the server's code for an
// error, and -1 when no reply came.
type Command struct {
	Name       string // such as "insert"
	Collection string // "" for commands that have none
	Database   string
}

// noReply is the code of a command whose reply did not come.
const noReply = -1

// monitor follows the commands of a client from start to end.
type monitor struct {
	log  *slog.Logger
	span func(context.Context, Command) func(int)

	mu      sync.Mutex
	running map[runningKey]running
}

// runningKey names a command on its way; request numbers alone are unique only within a process.
type runningKey struct {
	connection string
	request    int64
}

type running struct {
	command Command
	end     func(int)
}

func newMonitor(cfg Config) *event.CommandMonitor {
	m := &monitor{log: cfg.Log, span: cfg.Span, running: map[runningKey]running{}}
	return &event.CommandMonitor{
		Started: m.started,
		Succeeded: func(ctx context.Context, e *event.CommandSucceededEvent) {
			m.ended(ctx, &e.CommandFinishedEvent, replyCode(e.Reply))
		},
		Failed: func(ctx context.Context, e *event.CommandFailedEvent) {
			m.ended(ctx, &e.CommandFinishedEvent, failureCode(e.Failure))
		},
	}
}

func (m *monitor) started(ctx context.Context, e *event.CommandStartedEvent) {
	r := running{command: Command{Name: e.CommandName, Collection: collectionOf(e), Database: e.DatabaseName}}
	if m.span != nil {
		r.end = m.span(ctx, r.command)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running[runningKey{e.ConnectionID, e.RequestID}] = r
}

func (m *monitor) ended(ctx context.Context, e *event.CommandFinishedEvent, code int) {
	key := runningKey{e.ConnectionID, e.RequestID}
	m.mu.Lock()
	r := m.running[key]
	delete(m.running, key)
	m.mu.Unlock()
	if r.end != nil {
		r.end(code)
	}
	m.log.DebugContext(ctx, "mongo command", "command", e.CommandName, "collection", r.command.Collection,
		"ms", float64(e.Duration.Microseconds())/1000, "code", code)
}

// collectionOf returns the collection a command is about: its first value, or that of getMore's "collection".
func collectionOf(e *event.CommandStartedEvent) string {
	field := e.CommandName
	if field == "getMore" {
		field = "collection"
	}
	name, _ := e.Command.Lookup(field).StringValueOK()
	return name
}

// replyCode returns the first error that a reply reports of a command that ran.
func replyCode(reply bson.Raw) int {
	for _, path := range [][]string{{"writeErrors", "0", "code"}, {"writeConcernError", "code"}} {
		if code, ok := reply.Lookup(path...).AsInt64OK(); ok {
			return int(code)
		}
	}
	return 0
}

func failureCode(err error) int {
	var refused driver.Error
	if errors.As(err, &refused) && refused.Code != 0 {
		return int(refused.Code)
	}
	return noReply
}
