package batch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/extraction"
	"github.com/mneme-graph/mneme/state"
)

// anthropic is the Message Batches service of Anthropic: https://docs.anthropic.com/en/api/creating-message-batches.
type anthropic struct{ c *client }

var _ extraction.Service = (*anthropic)(nil)

// skew is by how much the clocks of a service and of ours may differ.
const skew = 10 * time.Minute

type anthropicBatch struct {
	ID      string    `json:"id"`
	Status  string    `json:"processing_status"`
	Created time.Time `json:"created_at"`
	Counts  struct {
		Processing int `json:"processing"`
		Succeeded  int `json:"succeeded"`
		Errored    int `json:"errored"`
		Canceled   int `json:"canceled"`
		Expired    int `json:"expired"`
	} `json:"request_counts"`
}

func (b anthropicBatch) total() int {
	return b.Counts.Processing + b.Counts.Succeeded + b.Counts.Errored + b.Counts.Canceled + b.Counts.Expired
}

type anthropicRequest struct {
	ID     string `json:"custom_id"`
	Params struct {
		Model     string          `json:"model"`
		MaxTokens int             `json:"max_tokens"`
		Messages  []openaiMessage `json:"messages"`
	} `json:"params"`
}

// markOf returns what the ids of a job's items begin with. 16 digits, a hyphen and an item's id stay below the 64 characters there are.
func markOf(job string) string {
	sum := sha256.Sum256([]byte(job))
	return hex.EncodeToString(sum[:8]) + "-"
}

// Submit makes the batch.
func (a *anthropic) Submit(ctx context.Context, b extraction.Batch) (string, error) {
	var in struct {
		Requests []anthropicRequest `json:"requests"`
	}
	for _, item := range b.Items {
		r := anthropicRequest{ID: markOf(b.ID) + item.ID}
		r.Params.Model, r.Params.MaxTokens, r.Params.Messages = b.Model, a.c.MaxTokens, []openaiMessage{{"user", item.Prompt}}
		in.Requests = append(in.Requests, r)
	}

	body, err := json.Marshal(in)
	if err != nil {
		return "", err
	}

	var made anthropicBatch
	if err := a.c.json(ctx, call{method: http.MethodPost, path: "/v1/messages/batches", body: body, makes: true}, &made); err != nil {
		return "", err
	}
	return a.c.made(made.ID)
}

// Find looks through the batches of that time and size, the newest first. The ids of its items say whose a batch is, once it is over.
func (a *anthropic) Find(ctx context.Context, b extraction.Batch) (string, error) {
	after, maybe := "", ""
	for range maxPages {
		// Pages have a hundred batches, the newest first.
		var page struct {
			Data []anthropicBatch `json:"data"`
			More bool             `json:"has_more"`
		}
		if err := a.c.json(ctx, call{method: http.MethodGet, path: "/v1/messages/batches?limit=100" + after}, &page); err != nil {
			return "", err
		}

		// Only a batch that is over tells whose it is; one that may be the job's is kept in mind.
		for _, batch := range page.Data {
			after = "&after_id=" + url.QueryEscape(batch.ID)
			if batch.Created.Before(b.At.Add(-skew)) {
				page.More = false
				break
			}
			if batch.total() != b.Count {
				continue
			}
			if batch.Status != "ended" {
				maybe = batch.ID
				continue
			}
			ours, err := a.isOf(ctx, batch.ID, b)
			if err != nil || ours {
				return batch.ID, err
			}
		}

		// When all were looked through, the one in mind is worth waiting for.
		switch {
		case page.More && len(page.Data) > 0:
		case maybe != "":
			return "", state.Errorf(state.Unavailable, a.c.op, "its batch %s may be job %s: that shows when it is over", maybe, b.ID)
		default:
			return "", a.c.notThere(b)
		}
	}
	return "", state.Errorf(state.Unavailable, a.c.op, "it has too many batches to tell whether job %s is among them", b.ID)
}

// errSeen ends a reading.
var errSeen = errors.New("seen enough")

// isOf reports whether a batch that is over is of a job. It reads its first line.
func (a *anthropic) isOf(ctx context.Context, remote string, b extraction.Batch) (ours bool, err error) {
	id, err := a.c.escaped(remote)
	if err != nil {
		return false, err
	}

	err = a.c.lines(ctx, "/v1/messages/batches/"+id+"/results", func(line []byte) error {
		var l anthropicLine
		if json.Unmarshal(line, &l) != nil {
			return nil //nolint:nilerr // a damaged line tells nothing, the next one may
		}
		ours = strings.HasPrefix(l.ID, markOf(b.ID))
		return errSeen
	})
	if errors.Is(err, errSeen) || errors.Is(err, state.ErrNotFound) {
		err = nil
	}
	return ours, err
}

func (a *anthropic) get(ctx context.Context, remote string) (batch anthropicBatch, err error) {
	id, err := a.c.escaped(remote)
	if err != nil {
		return batch, err
	}
	err = a.c.json(ctx, call{method: http.MethodGet, path: "/v1/messages/batches/" + id}, &batch)
	return batch, err
}

// Status reads the batch. "ended" says nothing of how: the counts do.
func (a *anthropic) Status(ctx context.Context, remote string) (extraction.Status, error) {
	batch, err := a.get(ctx, remote)
	if err != nil {
		return extraction.Status{}, err
	}

	s := extraction.Status{Phase: extraction.Running, Said: a.c.clean(batch.Status)}
	switch n := batch.Counts; batch.Status {
	case "in_progress", "canceling":
	case "ended":
		s.Phase = extraction.Ended
		if n.Canceled > 0 {
			s.Phase = extraction.Cancelled
		} else if n.Expired > 0 {
			s.Phase = extraction.Expired
		}
	default:
		s.Unknown = true
	}
	return s, nil
}

type anthropicLine struct {
	ID     string `json:"custom_id"`
	Result struct {
		Type    string `json:"type"`
		Message struct {
			Content []struct {
				Type string `json:"type"`
				Text string `json:"text"`
			} `json:"content"`
		} `json:"message"`
		Error struct {
			Error struct {
				Message string `json:"message"`
			} `json:"error"`
			Message string `json:"message"`
		} `json:"error"`
	} `json:"result"`
}

// Results reads them from where they always are: the address in the batch could lead the key elsewhere.
func (a *anthropic) Results(ctx context.Context, remote string, yield func(extraction.Result) error) error {
	id, err := a.c.escaped(remote)
	if err != nil {
		return err
	}
	return a.c.lines(ctx, "/v1/messages/batches/"+id+"/results", func(line []byte) error {
		r, asked := a.result(line)
		if !asked {
			return nil // as if it were missing: it was cancelled or has expired
		}
		return yield(r)
	})
}

// result reads a line. It reports false of an item that the service did not come to.
func (a *anthropic) result(line []byte) (r extraction.Result, asked bool) {
	var l anthropicLine
	if json.Unmarshal(line, &l) != nil {
		return r, true
	}

	_, r.ID, _ = strings.Cut(l.ID, "-")
	switch l.Result.Type {
	case "succeeded":
		for _, c := range l.Result.Message.Content {
			if c.Type == "text" {
				r.Text += c.Text
			}
		}
		if r.Text == "" {
			r.Problem = "the answer is empty"
		}
	case "canceled", "expired":
		return r, false
	case "errored":
		r.Problem = problem(a.c, "the service says: %s%s", l.Result.Error.Error.Message, l.Result.Error.Message)
	default:
		r.Problem = problem(a.c, "the service says %q of it", l.Result.Type)
	}
	return r, true
}

// Cancel asks for the end of the batch. One that is over stays as it is.
func (a *anthropic) Cancel(ctx context.Context, remote string) error {
	id, err := a.c.escaped(remote)
	if err != nil {
		return err
	}
	return a.c.over(ctx, a, remote, a.c.json(ctx, call{method: http.MethodPost, path: "/v1/messages/batches/" + id + "/cancel"}, nil))
}

// over makes of the refusal to cancel what is over no error.
func (c *client) over(ctx context.Context, s extraction.Service, remote string, err error) error {
	if code := state.CodeOf(err); code != state.Invalid && code != state.Unavailable {
		return err
	}
	if status, no := s.Status(ctx, remote); no == nil && status.Phase != extraction.Running {
		return nil
	}
	return err
}
