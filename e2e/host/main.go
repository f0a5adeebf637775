// Command host embeds the graph as a team outside would, by its public packages alone, in one of four ways:
//
//	host FACE DIR ask      a message whose tool has to be approved; prints the question and waits to be killed
//	host FACE DIR answer   in another process: approves, prints the reply
//
// FACE is invoke, export, agent or middleware. DIR has the memory and the host's own checkpoints. The tool writes a line to DIR/paid.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
)

const message = "Pay the invoice of 100 for the brake pads."

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: host invoke|export|agent|middleware DIR ask|answer")
	}
	faces := map[string]face{"invoke": invoked{}, "export": exported{}, "agent": agent{}, "middleware": middled{}}
	f, ok := faces[os.Args[1]]
	if !ok {
		log.Fatalf("there is no face %q", os.Args[1])
	}
	h := host{dir: os.Args[2]}
	g, err := h.open()
	if err != nil {
		log.Fatal(err)
	}
	do := f.ask
	if os.Args[3] == "answer" {
		do = f.answer
	}
	said, err := do(context.Background(), h, g)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(said)
	if os.Args[3] == "ask" {
		select {} // until it is killed
	}
	if err := g.Close(); err != nil {
		log.Fatal(err)
	}
}

// A face is one way to embed the graph.
type face interface {
	ask(ctx context.Context, h host, g *embedded.Graph) (string, error)
	answer(ctx context.Context, h host, g *embedded.Graph) (string, error)
}

// host is a program with a folder. It keeps eino's checkpoints in files of its own.
type host struct{ dir string }

// Get implements compose.CheckPointStore.
func (h host) Get(_ context.Context, id string) ([]byte, bool, error) {
	body, err := os.ReadFile(filepath.Join(h.dir, "checkpoint-"+id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return body, err == nil, err
}

// Set implements compose.CheckPointStore.
func (h host) Set(_ context.Context, id string, body []byte) error {
	return os.WriteFile(filepath.Join(h.dir, "checkpoint-"+id), body, 0o600)
}

// open opens the memory, with a model that follows a script. It pays once it is approved.
func (h host) open() (*embedded.Graph, error) {
	pay, err := h.pay()
	if err != nil {
		return nil, err
	}
	return embedded.OpenConfig(context.Background(), filepath.Join(h.dir, "memory"), graph.Config{
		Model: script(), Tools: []tool.InvokableTool{pay}, Approve: []string{"pay"},
	})
}

func script() *scripted.Model {
	return scripted.New([]scripted.Step{scripted.Call("pay", `{"amount":100}`), scripted.Say("I have paid 100.")}, nil)
}

type invoice struct {
	Amount int `json:"amount"`
}

// pay returns a tool with an effect outside.
func (h host) pay() (tool.InvokableTool, error) {
	return utils.InferTool("pay", "Pays an amount.", func(_ context.Context, in invoice) (string, error) {
		f, err := os.OpenFile(filepath.Join(h.dir, "paid"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return "", err
		}
		_, err = fmt.Fprintln(f, in.Amount)
		return "paid", errors.Join(err, f.Close())
	})
}

// scope returns whose conversation it is.
func scope() state.Scope { return state.Scope{Client: "acme", User: "ann", Session: "desk"} }
