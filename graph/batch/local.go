package batch

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory/extraction"
	"github.com/mneme-graph/mneme/state"
)

// local has a model of this process do the work, one item after the other, when results are asked for. A process that ends has sent nothing,
// so nobody finds its batches.
type local struct {
	model   model.BaseChatModel
	timeout time.Duration

	mu      sync.Mutex
	batches map[string]extraction.Batch
}

var _ extraction.Service = (*local)(nil)

func newLocal(m model.BaseChatModel, timeout time.Duration) *local {
	return &local{model: m, timeout: cmp.Or(timeout, time.Minute), batches: map[string]extraction.Batch{}}
}

// Submit keeps the batch. It goes by the job's id.
func (l *local) Submit(_ context.Context, b extraction.Batch) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.batches[b.ID] = b
	return b.ID, nil
}

// Find looks for the job.
func (l *local) Find(_ context.Context, b extraction.Batch) (string, error) {
	_, err := l.get(b.ID)
	return b.ID, err
}

func (l *local) get(id string) (extraction.Batch, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.batches[id]
	if !ok {
		return b, state.Errorf(state.NotFound, "batch local", "this process has no batch %s", id)
	}
	return b, nil
}

// Status says that the results can be asked for.
func (l *local) Status(_ context.Context, remote string) (extraction.Status, error) {
	_, err := l.get(remote)
	return extraction.Status{Phase: extraction.Ended, Said: "ready"}, err
}

// Results asks the model. An item that it does not answer is a problem of that item, but while it answers none it is the model's: then the
// rest of the batch stays, with that item behind the others.
func (l *local) Results(ctx context.Context, remote string, yield func(extraction.Result) error) error {
	b, err := l.get(remote)
	if err != nil {
		return err
	}

	// Items are answered one by one, so that what is there already outlives a model that fails later.
	answered := false
	for len(b.Items) > 0 {
		item := b.Items[0]
		r := extraction.Result{ID: item.ID}
		r.Text, err = l.ask(ctx, item.Prompt)
		if ctx.Err() != nil {
			return state.Errorf(state.Unavailable, "batch local", "given up: %w", ctx.Err())
		}

		// A model that has answered none yet is down: the item goes behind the others, in case it is the item's fault.
		b.Items = b.Items[1:]
		if errors.Is(err, state.ErrUnavailable) && !answered {
			l.keep(b, append(slices.Clone(b.Items), item))
			return err
		}

		// One that has answered before has trouble with this item only.
		if err != nil {
			r.Problem = err.Error()
		}
		answered = true
		if err := yield(r); err != nil {
			return err
		}
		l.keep(b, b.Items)
	}
	l.drop(remote)
	return nil
}

// keep is what is left of a batch.
func (l *local) keep(b extraction.Batch, items []extraction.Item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b.Items = items
	l.batches[b.ID] = b
}

func (l *local) ask(ctx context.Context, prompt string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	answer, err := l.model.Generate(ctx, []*schema.Message{schema.UserMessage(prompt)})
	switch {
	case err != nil:
		return "", state.Errorf(state.Unavailable, "batch local", "the small model does not answer: %w", err)
	case answer == nil || answer.Content == "":
		return "", state.Errorf(state.Invalid, "batch local", "the answer is empty")
	}
	return answer.Content, nil
}

// Cancel drops the batch.
func (l *local) Cancel(_ context.Context, remote string) error {
	_, err := l.get(remote)
	l.drop(remote)
	return err
}

func (l *local) drop(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.batches, id)
}
