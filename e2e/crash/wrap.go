package crash

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Chat makes the calls of a chat model places of the walk.
func (w *Walk) Chat(m model.ToolCallingChatModel) model.ToolCallingChatModel {
	return &chat{asked{w, m, "/model"}, m}
}

// Small makes the calls of a small model places of the walk.
func (w *Walk) Small(m model.BaseChatModel) model.BaseChatModel { return asked{w, m, "/small"} }

// Store makes the calls of a store places of the walk.
func (w *Walk) Store(s store.Store) store.Store { return &walked{s, w} }

// asked is a model whose calls are places.
type asked struct {
	walk  *Walk
	model model.BaseChatModel
	what  string
}

// call names the model by its node. The small model is the only one elsewhere than in respond.
func (a asked) call(ctx context.Context) string {
	node := nodeOf(ctx)
	if node != "respond" {
		return node + "/model"
	}
	return node + a.what
}

// Generate asks the model between two places.
func (a asked) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	call := a.walk.begin(a.call(ctx))
	out, err := a.model.Generate(ctx, in, opts...)
	a.walk.end(call)
	return out, err
}

// Stream asks the model between two places and hands the answer on when all of it is there.
func (a asked) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	call := a.walk.begin(a.call(ctx))
	out, err := a.model.Stream(ctx, in, opts...)
	if err != nil {
		a.walk.end(call)
		return nil, err
	}
	chunks, err := all(out)
	a.walk.end(call)
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray(chunks), nil
}

// all receives a stream to its end.
func all(r *schema.StreamReader[*schema.Message]) (chunks []*schema.Message, err error) {
	defer r.Close()
	for {
		chunk, err := r.Recv()
		if errors.Is(err, io.EOF) {
			return chunks, nil
		}
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, chunk)
	}
}

// chat is asked for a model that takes tools.
type chat struct {
	asked
	model model.ToolCallingChatModel
}

// WithTools binds the tools and stays on the walk.
func (c *chat) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	m, err := c.model.WithTools(tools)
	if err != nil {
		return nil, err
	}
	return c.walk.Chat(m), nil
}

// walked is a store whose calls are places.
type walked struct {
	store.Store
	walk *Walk
}

// Get reads between two places.
func (s *walked) Get(ctx context.Context, c state.Collection, id string) (store.Doc, error) {
	defer s.walk.end(s.walk.begin("store/get"))
	return s.Store.Get(ctx, c, id)
}

// Scan reads between two places.
func (s *walked) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	defer s.walk.end(s.walk.begin("store/scan"))
	return s.Store.Scan(ctx, q)
}

// Write writes between two places. Where that is no transaction there are places amid it.
func (s *walked) Write(ctx context.Context, docs ...store.Doc) error {
	call := s.walk.begin("store/write")
	defer s.walk.end(call)
	if !s.Features().Atomic && len(docs) > 1 {
		s.amid(ctx, call, docs)
	}
	return s.Store.Write(ctx, docs...)
}

// amid passes the places at which a process dies with a part of the documents written: one of them, or all but one.
func (s *walked) amid(ctx context.Context, call string, docs []store.Doc) {
	for i, d := range docs {
		s.walk.pass(fmt.Sprintf("amid %s, only %d %s", call, i+1, d.Collection), func() {
			_ = s.Store.Write(ctx, d) // the process dies, however it ended
		})
		if len(docs) == 2 {
			continue
		}
		s.walk.pass(fmt.Sprintf("amid %s, all but %d %s", call, i+1, d.Collection), func() {
			_ = s.Store.Write(ctx, slices.Delete(slices.Clone(docs), i, i+1)...)
		})
	}
}

// Delete deletes between two places.
func (s *walked) Delete(ctx context.Context, c state.Collection, prefix string) (int, error) {
	defer s.walk.end(s.walk.begin("store/delete"))
	return s.Store.Delete(ctx, c, prefix)
}
