package batchtest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// openai answers as OpenAI does.
func (s *Stub) openai(w http.ResponseWriter, r *http.Request, rest string, body []byte) {
	// A POST to the collection makes a batch, a GET lists, and any other path is of one batch.
	id, cancel := strings.CutSuffix(rest, "/cancel")
	switch {
	case rest == "" && r.Method == http.MethodPost:
		var in struct {
			File     string            `json:"input_file_id"`
			Endpoint string            `json:"endpoint"`
			Window   string            `json:"completion_window"`
			Metadata map[string]string `json:"metadata"`
		}
		if json.Unmarshal(body, &in) != nil || s.files[in.File] == nil || in.Endpoint != "/v1/chat/completions" || in.Window != "24h" {
			refuse(w, http.StatusBadRequest, "no batch")
			return
		}
		b := &made{ours: in.Metadata["mneme_job"]}
		for line := range bytes.Lines(s.files[in.File]) {
			var l struct {
				ID   string `json:"custom_id"`
				URL  string `json:"url"`
				Body struct {
					Model    string    `json:"model"`
					Messages []message `json:"messages"`
				} `json:"body"`
			}
			if json.Unmarshal(line, &l) != nil || l.URL != in.Endpoint || len(l.Body.Messages) != 1 {
				refuse(w, http.StatusBadRequest, "no line")
				return
			}
			b.model, b.keys, b.prompts = l.Body.Model, append(b.keys, l.ID), append(b.prompts, l.Body.Messages[0].Content)
		}
		s.make(w, b, s.openaiLook)
	case rest == "":
		page, more := s.newest(r.URL.Query().Get("after"))
		list := []any{}
		for _, b := range page {
			list = append(list, s.openaiLook(b))
		}
		write(w, map[string]any{"data": list, "has_more": more})
	default:
		b := s.find(w, id)
		switch {
		case b == nil:
		case cancel:
			s.cancel(w, b, s.openaiLook)
		default:
			write(w, s.openaiLook(b))
		}
	}
}

func (s *Stub) openaiLook(b *made) any {
	out := map[string]any{
		"id": b.id, "status": s.over(b, [5]string{"in_progress", "completed", "failed", "expired", "cancelled"}), "created_at": b.at.Unix(),
		"metadata": map[string]string{"mneme_job": b.ours}, "output_file_id": "out-" + b.id, "error_file_id": "err-" + b.id,
	}
	if s.faults.Fails {
		out["output_file_id"], out["error_file_id"], out["errors"] = nil, nil, map[string]any{"data": []any{map[string]any{"message": "the limit is reached"}}}
	}
	return out
}

// file answers an output or an error file.
func (s *Stub) file(w http.ResponseWriter, rest string) {
	name, _, _ := strings.Cut(rest, "/")
	kind, id, _ := strings.Cut(name, "-")

	b := s.find(w, id)
	if b == nil {
		return
	}
	done, late := s.outcomes(b)

	list := []any{}
	for _, o := range done {
		body := map[string]any{"choices": []any{map[string]any{"index": 0, "message": message{"assistant", o.text}}}}
		status := http.StatusOK
		if o.err != "" {
			status, body = http.StatusBadRequest, map[string]any{"error": map[string]any{"message": o.err}}
		}
		if (o.err != "") == (kind == "err") {
			list = append(list, map[string]any{"id": "r", "custom_id": o.key, "response": map[string]any{"status_code": status, "body": body}, "error": nil})
		}
	}

	// Items that the batch did not come to stand in the error file, unless it was cancelled.
	for _, key := range late {
		if kind == "err" && !b.cancelled {
			list = append(list, map[string]any{"custom_id": key, "response": nil, "error": map[string]any{"code": "batch_expired", "message": "not executed in time"}})
		}
	}
	s.lines(w, list)
}

// anthropic answers as Anthropic does.
func (s *Stub) anthropic(w http.ResponseWriter, r *http.Request, rest string, body []byte) {
	id, what, _ := strings.Cut(rest, "/")

	// A POST to the collection makes a batch, a GET lists, and any other path is of one batch.
	switch {
	case rest == "" && r.Method == http.MethodPost:
		var in struct {
			Requests []struct {
				ID     string `json:"custom_id"`
				Params struct {
					Model     string    `json:"model"`
					MaxTokens int       `json:"max_tokens"`
					Messages  []message `json:"messages"`
				} `json:"params"`
			} `json:"requests"`
		}
		if json.Unmarshal(body, &in) != nil || len(in.Requests) == 0 || r.Header.Get("anthropic-version") == "" {
			refuse(w, http.StatusBadRequest, "no batch")
			return
		}
		b := &made{}
		for _, q := range in.Requests {
			if len(q.ID) > 64 || q.Params.MaxTokens < 1 || len(q.Params.Messages) != 1 {
				refuse(w, http.StatusBadRequest, "no request")
				return
			}
			b.ours, _, _ = strings.Cut(q.ID, "-")
			b.model, b.keys, b.prompts = q.Params.Model, append(b.keys, q.ID), append(b.prompts, q.Params.Messages[0].Content)
		}
		s.make(w, b, s.anthropicLook)
	case rest == "":
		page, more := s.newest(r.URL.Query().Get("after_id"))
		list := []any{}
		for _, b := range page {
			list = append(list, s.anthropicLook(b))
		}
		write(w, map[string]any{"data": list, "has_more": more})
	default:
		b := s.find(w, id)
		switch {
		case b == nil:
		case what == "cancel":
			s.cancel(w, b, s.anthropicLook)
		case what == "results":
			s.anthropicResults(w, b)
		default:
			write(w, s.anthropicLook(b))
		}
	}
}

func (s *Stub) anthropicLook(b *made) any {
	state := s.over(b, [5]string{"in_progress", "ended", "ended", "ended", "ended"})
	counts := map[string]int{"processing": len(b.keys)}
	if state == "ended" {
		done, late := s.outcomes(&made{keys: b.keys, prompts: b.prompts, cancelled: b.cancelled})
		counts = map[string]int{"succeeded": min(len(done), len(b.keys)-len(late))}
		switch kind := "expired"; {
		case b.cancelled:
			counts["canceled"] = len(late)
		case s.faults.Fails:
			counts["errored"] = len(late)
		default:
			counts[kind] = len(late)
		}
	}
	return map[string]any{"id": b.id, "processing_status": state, "created_at": b.at.Format(time.RFC3339Nano), "request_counts": counts}
}

func (s *Stub) anthropicResults(w http.ResponseWriter, b *made) {
	done, late := s.outcomes(b)
	list := []any{}
	for _, o := range done {
		result := map[string]any{"type": "succeeded", "message": map[string]any{"content": []any{map[string]string{"type": "text", "text": o.text}}}}
		if o.err != "" {
			result = map[string]any{"type": "errored", "error": map[string]any{"type": "error", "error": map[string]string{"message": o.err}}}
		}
		list = append(list, map[string]any{"custom_id": o.key, "result": result})
	}

	for _, key := range late {
		kind := "expired"
		if b.cancelled {
			kind = "canceled"
		}
		list = append(list, map[string]any{"custom_id": key, "result": map[string]any{"type": kind}})
	}
	s.lines(w, list)
}

// google answers as the Gemini API does.
func (s *Stub) google(w http.ResponseWriter, r *http.Request, rest string, body []byte) {
	// The model's path makes a batch, that of the batches lists, and any other is of one batch.
	model, makes := strings.CutSuffix(rest, ":batchGenerateContent")
	id, cancel := strings.CutSuffix(strings.TrimPrefix(rest, "batches/"), ":cancel")
	switch {
	case makes:
		var in struct {
			Batch struct {
				Name  string `json:"displayName"`
				Input struct {
					Requests struct {
						Requests []struct {
							Request struct {
								Contents []struct {
									Parts []struct {
										Text string `json:"text"`
									} `json:"parts"`
								} `json:"contents"`
							} `json:"request"`
							Metadata struct {
								Key string `json:"key"`
							} `json:"metadata"`
						} `json:"requests"`
					} `json:"requests"`
				} `json:"inputConfig"`
			} `json:"batch"`
		}
		if json.Unmarshal(body, &in) != nil || len(in.Batch.Input.Requests.Requests) == 0 {
			refuse(w, http.StatusBadRequest, "no batch")
			return
		}
		b := &made{ours: in.Batch.Name, model: strings.TrimPrefix(model, "models/")}
		for _, q := range in.Batch.Input.Requests.Requests {
			b.keys, b.prompts = append(b.keys, q.Metadata.Key), append(b.prompts, q.Request.Contents[0].Parts[0].Text)
		}
		s.make(w, b, s.googleLook)
	case rest == "batches":
		page, more := s.newest(r.URL.Query().Get("pageToken"))
		list, next := []any{}, ""
		for _, b := range page {
			list = append(list, s.googleLook(b))
			if more {
				next = b.id
			}
		}
		write(w, map[string]any{"operations": list, "nextPageToken": next})
	default:
		b := s.find(w, id)
		switch {
		case b == nil:
		case cancel:
			s.cancel(w, b, func(*made) any { return map[string]any{} })
		default:
			write(w, s.googleLook(b))
		}
	}
}

func (s *Stub) googleLook(b *made) any {
	state := s.over(b, [5]string{"BATCH_STATE_RUNNING", "BATCH_STATE_SUCCEEDED", "BATCH_STATE_FAILED", "BATCH_STATE_EXPIRED", "BATCH_STATE_CANCELLED"})
	out := map[string]any{"name": "batches/" + b.id, "metadata": map[string]any{"state": state, "displayName": b.ours}}
	if state == "BATCH_STATE_RUNNING" {
		return out
	}
	if s.faults.Half || s.faults.Cut > 0 { // as it is with large ones
		out["done"], out["response"] = true, map[string]any{"responsesFile": "files/out-" + b.id}
		return out
	}
	out["done"], out["response"] = true, map[string]any{"inlinedResponses": map[string]any{"inlinedResponses": s.googleLines(b)}}
	return out
}

func (s *Stub) googleLines(b *made) []any {
	done, _ := s.outcomes(b)
	list := []any{}
	for _, o := range done {
		line := map[string]any{"metadata": map[string]string{"key": o.key}}
		if o.err != "" {
			line["error"] = map[string]any{"code": 3, "message": o.err}
		} else {
			line["response"] = map[string]any{"candidates": []any{map[string]any{"content": map[string]any{"parts": []any{map[string]string{"text": o.text}}}}}}
		}
		list = append(list, line)
	}
	return list
}
