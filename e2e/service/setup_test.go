package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

// childWord, as the first argument, makes the test binary the service: then come the folder, the model's address and the ledger.
const childWord = "child-of-a-service-test"

func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == childWord {
		if err := serve(context.Background(), os.Args[2], os.Args[3], os.Args[4]); err != nil {
			fmt.Fprintln(os.Stderr, "service:", err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// request is what a client sends: a message, or the approval of a question.
type request struct {
	Client, User, ID, Text string
	Question               string
}

// scope is whose request it is; everybody has one session.
func (r request) scope() state.Scope {
	return state.Scope{Client: r.Client, User: r.User, Session: "chat"}
}

// answer is what the service says.
type answer struct {
	Text  string
	Cut   bool
	Waits []string // questions
}

// open opens the graph of the service.
func open(ctx context.Context, dir, url, ledger string) (*embedded.Graph, error) {
	model, err := provider.Open(ctx, provider.Config{Model: "openai:gpt-test", APIKey: "sk-test", BaseURL: url + "/v1"})
	if err != nil {
		return nil, err
	}
	pay, err := refundTool(ledger)
	if err != nil {
		return nil, err
	}
	return embedded.OpenConfig(ctx, dir, graph.Config{Model: model, Tools: []tool.InvokableTool{pay}, Approve: []string{"refund"}})
}

// refund has its required arguments in an order that is not that of the alphabet.
type refund struct {
	Order  string `json:"order"`
	Amount int    `json:"amount"`
}

// paid is a line of the ledger: what the world outside has been asked to do.
type paid struct {
	Key, User string
	refund
}

// refundTool writes to the ledger, which outlives the processes.
func refundTool(ledger string) (tool.InvokableTool, error) {
	return utils.InferTool("refund", "Pays an order back.", func(ctx context.Context, in refund) (string, error) {
		scope, _ := state.ScopeFrom(ctx)
		line, err := json.Marshal(paid{state.IdempotencyKey(ctx), scope.Client + "/" + scope.User, in})
		if err != nil {
			return "", err
		}
		f, err := os.OpenFile(ledger, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return "", err
		}
		_, err = f.Write(append(line, '\n'))
		return "paid back " + in.Order, errors.Join(err, f.Close())
	})
}

// serve is the service. At SIGTERM it closes the graph and ends, whoever is waiting for a reply.
func serve(ctx context.Context, dir, url, ledger string) error {
	g, err := open(ctx, dir, url, ledger)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /message", reply(func(ctx context.Context, r request) (graph.Reply, error) {
		return g.Invoke(ctx, graph.Request{Scope: r.scope(), MessageID: r.ID, Text: r.Text})
	}))
	mux.HandleFunc("POST /answer", reply(func(ctx context.Context, r request) (graph.Reply, error) {
		return g.Answer(ctx, r.scope(), map[string]state.Answer{r.Question: {Choice: state.Approve}})
	}))
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(err, g.Close())
	}
	s := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	over := make(chan error, 1)
	go func() { over <- s.Serve(at) }()

	ended, done := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer done()
	fmt.Println(at.Addr())
	select {
	case err := <-over:
		return errors.Join(err, g.Close())
	case <-ended.Done():
		return g.Close()
	}
}

// reply is a handler: it decodes, calls once and encodes.
func reply(do func(ctx context.Context, r request) (graph.Reply, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		var r request
		if err := json.NewDecoder(req.Body).Decode(&r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		got, err := do(req.Context(), r)
		if err != nil {
			http.Error(w, err.Error(), statusOf(err))
			return
		}
		a := answer{Text: got.Text, Cut: got.Cut}
		for _, q := range got.Waits {
			a.Waits = append(a.Waits, q.ID)
		}
		_ = json.NewEncoder(w).Encode(a) // the client may have gone
	}
}

// statusOf is a code of the module as a status of HTTP.
func statusOf(err error) int {
	switch state.CodeOf(err) {
	case state.Conflict:
		return http.StatusConflict
	case state.Unavailable:
		return http.StatusServiceUnavailable
	case state.NotFound:
		return http.StatusNotFound
	}
	return http.StatusInternalServerError
}

var must = statetest.Must
