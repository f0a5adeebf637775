package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/url"

	"github.com/mneme-graph/mneme/memory/extraction"
	"github.com/mneme-graph/mneme/state"
)

// openai is the batch service of OpenAI: https://platform.openai.com/docs/api-reference/batch.
type openai struct{ c *client }

var _ extraction.Service = (*openai)(nil)

// jobField is the name of the metadata that hold a job's id.
const jobField = "mneme_job"

type openaiBatch struct {
	ID       string            `json:"id"`
	Status   string            `json:"status"`
	Output   string            `json:"output_file_id"`
	Errors   string            `json:"error_file_id"`
	Created  int64             `json:"created_at"`
	Metadata map[string]string `json:"metadata"`
	Failed   struct {
		Data []struct {
			Message string `json:"message"`
		} `json:"data"`
	} `json:"errors"`
}

type openaiMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type openaiLine struct {
	ID     string `json:"custom_id"`
	Method string `json:"method"`
	URL    string `json:"url"`
	Body   struct {
		Model    string          `json:"model"`
		Messages []openaiMessage `json:"messages"`
	} `json:"body"`
}

const chatURL = "/v1/chat/completions"

// Submit uploads the file and makes the batch. A file that no batch comes to name expires at the service.
func (o *openai) Submit(ctx context.Context, b extraction.Batch) (string, error) {
	// Each item is a line of the file.
	var file bytes.Buffer
	lines := json.NewEncoder(&file)
	for _, item := range b.Items {
		line := openaiLine{ID: item.ID, Method: http.MethodPost, URL: chatURL}
		line.Body.Model, line.Body.Messages = b.Model, []openaiMessage{{"user", item.Prompt}}
		if err := lines.Encode(line); err != nil {
			return "", err
		}
	}

	// The file goes as a field of a form.
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	if err := parts.WriteField("purpose", "batch"); err != nil {
		return "", err
	}
	part, err := parts.CreateFormFile("file", b.ID+".jsonl")
	if err != nil {
		return "", err
	}
	if _, err := part.Write(file.Bytes()); err != nil {
		return "", err
	}
	if err := parts.Close(); err != nil {
		return "", err
	}

	// The file is uploaded, then a batch is made of it.
	var uploaded struct {
		ID string `json:"id"`
	}
	if err := o.c.json(ctx, call{method: http.MethodPost, path: "/files", kind: parts.FormDataContentType(), body: form.Bytes(), makes: true}, &uploaded); err != nil {
		return "", err
	}
	body, err := json.Marshal(map[string]any{
		"input_file_id": uploaded.ID, "endpoint": chatURL, "completion_window": "24h", "metadata": map[string]string{jobField: b.ID},
	})
	if err != nil {
		return "", err
	}
	var made openaiBatch
	if err := o.c.json(ctx, call{method: http.MethodPost, path: "/batches", body: body, makes: true}, &made); err != nil {
		return "", err
	}
	return o.c.made(made.ID)
}

// Find looks through the batches, the newest first, back to when the job was planned.
func (o *openai) Find(ctx context.Context, b extraction.Batch) (string, error) {
	after := ""
	for range maxPages {
		var page struct {
			Data []openaiBatch `json:"data"`
			More bool          `json:"has_more"`
		}
		if err := o.c.json(ctx, call{method: http.MethodGet, path: "/batches?limit=100" + after}, &page); err != nil {
			return "", err
		}

		// The job's name is in the metadata; a batch from long before the job was planned ends the search.
		for _, batch := range page.Data {
			if batch.Metadata[jobField] == b.ID {
				return o.c.made(batch.ID)
			}
			if batch.Created > 0 && batch.Created < b.At.Add(-skew).Unix() {
				return "", o.c.notThere(b)
			}
			after = "&after=" + url.QueryEscape(batch.ID)
		}

		if !page.More || len(page.Data) == 0 {
			return "", o.c.notThere(b)
		}
	}
	return "", state.Errorf(state.Unavailable, o.c.op, "it has too many batches to tell whether job %s is among them", b.ID)
}

func (o *openai) get(ctx context.Context, remote string) (batch openaiBatch, err error) {
	id, err := o.c.escaped(remote)
	if err != nil {
		return batch, err
	}
	err = o.c.json(ctx, call{method: http.MethodGet, path: "/batches/" + id}, &batch)
	return batch, err
}

// Status reads the batch.
func (o *openai) Status(ctx context.Context, remote string) (extraction.Status, error) {
	batch, err := o.get(ctx, remote)
	if err != nil {
		return extraction.Status{}, err
	}

	s := extraction.Status{Phase: extraction.Running, Said: o.c.clean(batch.Status)}
	switch batch.Status {
	case "validating", "in_progress", "finalizing", "cancelling":
	case "completed":
		s.Phase = extraction.Ended
	case "failed":
		s.Phase = extraction.Failed
		if len(batch.Failed.Data) > 0 {
			s.Problem = o.c.clean(batch.Failed.Data[0].Message)
		}
	case "expired":
		s.Phase = extraction.Expired
	case "cancelled":
		s.Phase = extraction.Cancelled
	default:
		s.Unknown = true
	}
	return s, nil
}

// Results reads both files: what failed stands in one of its own.
func (o *openai) Results(ctx context.Context, remote string, yield func(extraction.Result) error) error {
	batch, err := o.get(ctx, remote)
	if err != nil {
		return err
	}

	for _, file := range []string{batch.Output, batch.Errors} {
		if file == "" {
			continue
		}
		id, err := o.c.escaped(file)
		if err != nil {
			return err
		}
		err = o.c.lines(ctx, "/files/"+id+"/content", func(line []byte) error { return yield(o.result(line)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// result reads a line of either file.
func (o *openai) result(line []byte) extraction.Result {
	// What cannot be read has no id, so that it is taken for no item.
	var l struct {
		ID       string `json:"custom_id"`
		Response struct {
			Status int `json:"status_code"`
			Body   struct {
				Choices []struct {
					Message openaiMessage `json:"message"`
				} `json:"choices"`
			} `json:"body"`
		} `json:"response"`
		Error *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(line, &l) != nil {
		return extraction.Result{}
	}

	// The most telling reason why there is no text comes first.
	r := extraction.Result{ID: l.ID}
	switch body := l.Response.Body; {
	case l.Error != nil:
		r.Problem = problem(o.c, "the service says: %s", l.Error.Message)
	case l.Response.Status != http.StatusOK:
		r.Problem = problem(o.c, "the service answers with status %d", l.Response.Status)
	case len(body.Choices) == 0 || body.Choices[0].Message.Content == "":
		r.Problem = "the answer is empty"
	default:
		r.Text = body.Choices[0].Message.Content
	}
	return r
}

// Cancel asks for the end of the batch. One that is over stays as it is.
func (o *openai) Cancel(ctx context.Context, remote string) error {
	id, err := o.c.escaped(remote)
	if err != nil {
		return err
	}
	return o.c.over(ctx, o, remote, o.c.json(ctx, call{method: http.MethodPost, path: "/batches/" + id + "/cancel"}, nil))
}
