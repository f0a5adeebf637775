package openai

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"

	"github.com/mneme-graph/mneme/state"
)

// modelAt is a model as it is listed.
type modelAt struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	Owner   string `json:"owned_by"`
}

// modelsOf lists what may be named.
func (f *Face) modelsOf(r *http.Request) (out []modelAt, err error) {
	names := []string{Default}
	for _, m := range f.c.Models {
		names = append(names, m.Name)
	}
	if f.c.Embedder != nil {
		space, err := f.c.Embedder.Space(r.Context())
		if err != nil {
			return nil, err
		}
		names = append(names, space.Model)
	}
	for _, name := range names {
		out = append(out, modelAt{name, "model", f.since.Unix(), Default})
	}
	return out, nil
}

// models answers GET /v1/models.
func (f *Face) models(w http.ResponseWriter, r *http.Request, c Caller) error {
	if err := c.May(false); err != nil {
		return err
	}
	all, err := f.modelsOf(r)
	if err != nil {
		return err
	}
	return writeJSON(w, list[modelAt]{"list", all})
}

// model answers GET /v1/models/{id}.
func (f *Face) model(w http.ResponseWriter, r *http.Request, c Caller) error {
	if err := c.May(false); err != nil {
		return err
	}
	all, err := f.modelsOf(r)
	if err != nil {
		return err
	}
	for _, m := range all {
		if m.ID == r.PathValue("id") {
			return writeJSON(w, m)
		}
	}
	return noModel(r.PathValue("id"))
}

func noModel(name string) error {
	return &fieldError{"model", "model_not_found", state.Errorf(state.NotFound, fmt.Sprintf("model %.80s", name), "is not there; GET /v1/models lists what there is, and %s always is", Default)}
}

// embeddingRequest is the body of POST /v1/embeddings.
type embeddingRequest struct {
	Model      string          `json:"model"`
	Input      json.RawMessage `json:"input"`
	Format     string          `json:"encoding_format"`
	Dimensions *int            `json:"dimensions"`
}

type embedded struct {
	Object string `json:"object"`
	Index  int    `json:"index"`
	Vector any    `json:"embedding"`
}

// embeddings answers POST /v1/embeddings.
func (f *Face) embeddings(w http.ResponseWriter, r *http.Request, c Caller) error {
	if err := cmp.Or(c.May(true), c.Open()); err != nil {
		return err
	}
	if f.c.Embedder == nil {
		return state.Errorf(state.NotFound, "embeddings", "are not made here: this service has no embedder (see the setting embedder)")
	}
	raw, err := read(r)
	if err != nil {
		return err
	}
	space, err := f.c.Embedder.Space(r.Context())
	if err != nil {
		return err
	}
	req, texts, err := readEmbedding(raw, space.Dim)
	if err != nil {
		return err
	}
	if req.Model != Default && req.Model != space.Model {
		return noModel(req.Model)
	}
	tokens := 0
	for _, text := range texts {
		tokens += f.c.Graph.Memory().Tokens(text)
	}
	c.Spend(tokens)
	vectors, err := f.c.Embedder.Embed(r.Context(), texts...)
	if err != nil {
		return err
	}
	out := list[embedded]{Object: "list"}
	for i, v := range vectors {
		one := embedded{"embedding", i, v}
		if req.Format == "base64" {
			one.Vector = base64.StdEncoding.EncodeToString(bytesOf(v))
		}
		out.Data = append(out.Data, one)
	}
	return writeJSON(w, struct {
		list[embedded]
		Model string         `json:"model"`
		Usage map[string]int `json:"usage"`
	}{out, req.Model, map[string]int{"prompt_tokens": tokens, "total_tokens": tokens}})
}

// readEmbedding reads the body of a request for vectors.
func readEmbedding(raw []byte, dim int) (req embeddingRequest, texts []string, err error) {
	if _, err := decode(raw, &req); err != nil {
		return req, nil, err
	}
	texts = []string{""}
	if json.Unmarshal(req.Input, &texts[0]) != nil && json.Unmarshal(req.Input, &texts) != nil {
		return req, nil, refuse("input", "is neither a text nor a list of texts; send texts where it is tokens (LangChain: check_embedding_ctx_length=False)")
	}
	const most = 2048
	switch {
	case len(texts) == 0 || len(texts) > most:
		return req, nil, refuse("input", "has %d texts; give 1 to %d", len(texts), most)
	case slices.Contains(texts, ""):
		return req, nil, refuse("input", "has an empty text, of which there is no vector")
	case req.Format != "" && req.Format != "float" && req.Format != "base64":
		return req, nil, refuse("encoding_format", "is none of float and base64")
	case req.Dimensions != nil && *req.Dimensions != dim:
		return req, nil, refuse("dimensions", "is not %d, which the embedder here has", dim)
	}
	return req, texts, nil
}

// bytesOf are the numbers of a vector, as OpenAI's clients read them.
func bytesOf(v []float32) []byte {
	out := make([]byte, 0, 4*len(v)) //nolint:mnd // bytes of a number
	for _, x := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}
