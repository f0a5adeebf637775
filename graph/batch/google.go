package batch

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/memory/extraction"
	"github.com/mneme-graph/mneme/state"
)

// google is the batch service of the Gemini API: https://ai.google.dev/api/batch-api.
type google struct{ c *client }

var _ extraction.Service = (*google)(nil)

type googlePart struct {
	Text    string `json:"text"`
	Thought bool   `json:"thought,omitempty"`
}

type googleContent struct {
	Role  string       `json:"role,omitempty"`
	Parts []googlePart `json:"parts"`
}

type googleRequest struct {
	Request struct {
		Contents []googleContent `json:"contents"`
	} `json:"request"`
	Metadata struct {
		Key string `json:"key"`
	} `json:"metadata"`
}

// googleBatch is the operation that a batch is.
type googleBatch struct {
	Name     string `json:"name"` // batches/ID
	Metadata struct {
		State       string `json:"state"`
		DisplayName string `json:"displayName"`
	} `json:"metadata"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
	Response struct {
		File   string `json:"responsesFile"`
		Inline struct {
			Responses []json.RawMessage `json:"inlinedResponses"`
		} `json:"inlinedResponses"`
	} `json:"response"`
}

// id returns the batch's name without its collection.
func (b googleBatch) id() string { return strings.TrimPrefix(b.Name, "batches/") }

// Submit makes the batch.
func (g *google) Submit(ctx context.Context, b extraction.Batch) (string, error) {
	model, err := g.c.escaped(strings.TrimPrefix(b.Model, "models/"))
	if err != nil {
		return "", state.Errorf(state.Invalid, g.c.op, "memory_extraction_model %.60q is no name of a model", b.Model)
	}

	// Each item has its key in its metadata, by which the answer is told from others.
	var list []googleRequest
	for _, item := range b.Items {
		var r googleRequest
		r.Request.Contents = []googleContent{{Role: "user", Parts: []googlePart{{Text: item.Prompt}}}}
		r.Metadata.Key = item.ID
		list = append(list, r)
	}

	// The batch is named after the job, so that Find finds it.
	body, err := json.Marshal(map[string]any{"batch": map[string]any{
		"displayName": b.ID, "inputConfig": map[string]any{"requests": map[string]any{"requests": list}},
	}})
	if err != nil {
		return "", err
	}

	var made googleBatch
	if err := g.c.json(ctx, call{method: http.MethodPost, path: "/v1beta/models/" + model + ":batchGenerateContent", body: body, makes: true}, &made); err != nil {
		return "", err
	}
	return g.c.made(made.id())
}

// Find looks through the batches for the job's name.
func (g *google) Find(ctx context.Context, b extraction.Batch) (string, error) {
	token := ""
	for range maxPages {
		var page struct {
			Operations []googleBatch `json:"operations"`
			Next       string        `json:"nextPageToken"`
		}
		path := "/v1beta/batches?pageSize=100" + token
		if err := g.c.json(ctx, call{method: http.MethodGet, path: path}, &page); err != nil {
			return "", err
		}
		for _, batch := range page.Operations {
			if batch.Metadata.DisplayName == b.ID {
				return g.c.made(batch.id())
			}
		}
		if page.Next == "" {
			return "", g.c.notThere(b)
		}
		token = "&pageToken=" + url.QueryEscape(page.Next)
	}
	return "", state.Errorf(state.Unavailable, g.c.op, "it has too many batches to tell whether job %s is among them", b.ID)
}

func (g *google) get(ctx context.Context, remote string) (batch googleBatch, err error) {
	id, err := g.c.escaped(remote)
	if err != nil {
		return batch, err
	}
	err = g.c.json(ctx, call{method: http.MethodGet, path: "/v1beta/batches/" + id}, &batch)
	return batch, err
}

// Status reads the batch. Its states are written with either of two prefixes.
func (g *google) Status(ctx context.Context, remote string) (extraction.Status, error) {
	batch, err := g.get(ctx, remote)
	if err != nil {
		return extraction.Status{}, err
	}

	s := extraction.Status{Phase: extraction.Running, Said: g.c.clean(batch.Metadata.State)}
	said := strings.TrimPrefix(strings.TrimPrefix(batch.Metadata.State, "BATCH_STATE_"), "JOB_STATE_")
	switch said {
	case "UNSPECIFIED", "QUEUED", "PENDING", "RUNNING", "CANCELLING", "PAUSED", "UPDATING":
	case "SUCCEEDED", "PARTIALLY_SUCCEEDED":
		s.Phase = extraction.Ended
	case "FAILED":
		s.Phase = extraction.Failed
		if batch.Error != nil {
			s.Problem = g.c.clean(batch.Error.Message)
		}
	case "CANCELLED":
		s.Phase = extraction.Cancelled
	case "EXPIRED":
		s.Phase = extraction.Expired
	default:
		s.Unknown = true
	}
	return s, nil
}

// Results reads them from the batch, or from the file that it names.
func (g *google) Results(ctx context.Context, remote string, yield func(extraction.Result) error) error {
	batch, err := g.get(ctx, remote)
	if err != nil {
		return err
	}

	for _, raw := range batch.Response.Inline.Responses {
		if err := yield(g.result(raw)); err != nil {
			return err
		}
	}

	if batch.Response.File == "" {
		return nil
	}
	file, err := g.c.escaped(strings.TrimPrefix(batch.Response.File, "files/"))
	if err != nil {
		return err
	}
	return g.c.lines(ctx, "/download/v1beta/files/"+file+":download?alt=media", func(line []byte) error { return yield(g.result(line)) })
}

// result reads one response. In a file the key stands beside it, else in its metadata.
func (g *google) result(raw []byte) extraction.Result {
	// Both forms have the same fields but for the place of the key. What cannot be read has no id, so that it is taken for no item.
	var l struct {
		Key      string `json:"key"`
		Metadata struct {
			Key string `json:"key"`
		} `json:"metadata"`
		Response struct {
			Candidates []struct {
				Content googleContent `json:"content"`
			} `json:"candidates"`
		} `json:"response"`
		Error *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(raw, &l) != nil {
		return extraction.Result{}
	}

	r := extraction.Result{ID: l.Metadata.Key}
	if r.ID == "" {
		r.ID = l.Key
	}

	// An item has an error, or the text of its answer without the model's thoughts.
	if l.Error != nil {
		r.Problem = problem(g.c, "the service says (%s): %s", strconv.Itoa(l.Error.Code), l.Error.Message)
		return r
	}
	if len(l.Response.Candidates) > 0 {
		for _, part := range l.Response.Candidates[0].Content.Parts {
			if !part.Thought {
				r.Text += part.Text
			}
		}
	}
	if r.Text == "" {
		r.Problem = "the answer is empty"
	}
	return r
}

// Cancel asks for the end of the batch. One that is over stays as it is.
func (g *google) Cancel(ctx context.Context, remote string) error {
	id, err := g.c.escaped(remote)
	if err != nil {
		return err
	}
	return g.c.over(ctx, g, remote, g.c.json(ctx, call{method: http.MethodPost, path: "/v1beta/batches/" + id + ":cancel", body: []byte("{}")}, nil))
}
