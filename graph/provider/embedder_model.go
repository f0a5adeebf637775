package provider

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/cloudwego/eino/components/embedding"

	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/state"
)

// remoteEmbedder is an eino-ext embedder whose errors are all state.Error. It is never changed after it was made.
type remoteEmbedder struct {
	blame blame // op and key
	model embedding.Embedder
}

var _ embedding.Embedder = (*remoteEmbedder)(nil)

// EmbedStrings asks for vectors, in the order of the texts. A text that the server finds too long is embed.ErrTooLong.
func (m *remoteEmbedder) EmbedStrings(ctx context.Context, texts []string, opts ...embedding.Option) ([][]float64, error) {
	ctx, asked := withCall(ctx, false)
	out, err := m.model.EmbedStrings(ctx, texts, opts...)
	if err == nil {
		return out, nil
	}
	var typed *state.Error
	switch noted := asked.failed(); {
	case errors.As(noted, &typed), errors.As(err, &typed):
		if tooLong(typed.Error()) {
			return nil, state.Errorf(state.Invalid, m.blame.op, "%w: %w", embed.ErrTooLong, typed)
		}
		return nil, typed
	case ctx.Err() != nil:
		return nil, state.Errorf(state.Unavailable, m.blame.op, "given up by the caller: %w", ctx.Err())
	}
	return nil, state.Errorf(state.Unavailable, m.blame.op, "cannot be asked, or its answer be read: %s", m.blame.clean(err.Error()))
}

// GetType names the component for eino's traces.
func (m *remoteEmbedder) GetType() string { return "Mneme" }

// IsCallbacksEnabled is true: eino-ext raises the callbacks, so the caller must not.
func (m *remoteEmbedder) IsCallbacksEnabled() bool { return true }

// tooLong reports whether an error says that a text has too many tokens: in the words of OpenAI and vLLM, Ollama, llama.cpp,
// text-embeddings-inference and DashScope. There is no code for it.
func tooLong(message string) bool {
	message = strings.ToLower(message)
	return slices.ContainsFunc([]string{
		"context length", "context size", "context window", "maximum input length", "range of input length", "input length exceeds",
		"too large to process", "must have less than", "too many tokens", "token limit", "maximum sequence length",
	}, func(words string) bool { return strings.Contains(message, words) })
}

// checkEmbeddings refuses an answer of the embeddings protocol that is not JSON, is an error object or holds no vectors, and
// puts the vectors into the order of their index, which the modules do not look at.
func checkEmbeddings(b blame, body []byte, header http.Header) ([]byte, *refusal) {
	var answer struct {
		Error json.RawMessage `json:"error"`
		Data  []numbered      `json:"data"`
		Usage json.RawMessage `json:"usage"`
		Model json.RawMessage `json:"model"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, b.broken("answer holds no embeddings: %w", err)
	}
	if no := b.object(answer.Error, header, body); no != nil {
		return nil, no
	}
	if len(answer.Data) == 0 {
		return nil, b.broken("answer holds no embeddings")
	}
	order, err := ordered(answer.Data)
	if err != nil {
		return nil, b.broken("%w", err)
	}
	if order == nil {
		return body, nil
	}
	sorted, err := json.Marshal(map[string]any{"object": "list", "data": order, "usage": answer.Usage, "model": answer.Model})
	if err != nil {
		return nil, b.broken("answer cannot be put in order: %w", err)
	}
	return sorted, nil
}

// numbered is a vector of an answer and which text it is of.
type numbered struct {
	Index     *int            `json:"index"`
	Embedding json.RawMessage `json:"embedding"`
}

// ordered returns vectors by their index; nil = they are in order, or none says where it belongs.
func ordered(data []numbered) ([]numbered, error) {
	out := make([]numbered, len(data))
	inOrder, without := true, 0
	for i, v := range data {
		if len(v.Embedding) == 0 || v.Embedding[0] != '[' {
			return nil, errors.New("answer holds an embedding that is no list of numbers")
		}
		if v.Index == nil {
			without++
			continue
		}
		at := *v.Index
		if at < 0 || at >= len(data) || out[at].Index != nil {
			return nil, errors.New("answer numbers its embeddings wrongly")
		}
		inOrder = inOrder && at == i
		out[at] = v
	}
	switch {
	case without == len(data) || without == 0 && inOrder:
		return nil, nil
	case without > 0:
		return nil, errors.New("answer numbers only some of its embeddings")
	}
	return out, nil
}

// checkOllama refuses an answer of Ollama's own protocol that is not JSON, is an error object or holds no vectors.
func checkOllama(b blame, body []byte, header http.Header) ([]byte, *refusal) {
	var answer struct {
		Error      json.RawMessage `json:"error"`
		Embeddings [][]float32     `json:"embeddings"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, b.broken("answer holds no embeddings: %w", err)
	}
	if no := b.object(answer.Error, header, body); no != nil {
		return nil, no
	}
	if len(answer.Embeddings) == 0 {
		return nil, b.broken("answer holds no embeddings")
	}
	return body, nil
}
