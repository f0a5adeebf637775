package provider

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/state"
)

// call is one call of a model or embedder, which travels in the context: how it is answered, and where the transport leaves
// its error, of which some modules make text and which others swallow.
type call struct {
	streams bool
	back    map[string]string // what the provider wants back, by the first call of each answer; not changed once the call is sent

	mu   sync.Mutex
	err  error
	seal Seal // of the attempt that is under way
}

type callKey struct{}

func withCall(ctx context.Context, streams bool) (context.Context, *call) {
	c := &call{streams: streams, back: map[string]string{}}
	return context.WithValue(ctx, callKey{}, c), c
}

// callFrom returns the call of a context, or one that nobody asks.
func callFrom(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

// note keeps an error, the first of the call.
func (c *call) note(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
}

func (c *call) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// begin begins an attempt: what an earlier one had to be sealed is forgotten.
func (c *call) begin(newSeal func() Seal) Seal {
	if newSeal == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seal = newSeal()
	return c.seal
}

// sealed returns what the provider wants back with an answer that has ended.
func (c *call) sealed() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seal == nil {
		return ""
	}
	return c.seal.Text()
}

// quiet stands between our transport and a provider's SDK. What fails is noted with the call and looks to the SDK like a
// request that was refused for good, or like the end of a stream: it neither asks again, as it would behind our back, nor
// logs.
type quiet struct{ next http.RoundTripper }

// RoundTrip answers every request.
func (q *quiet) RoundTrip(req *http.Request) (*http.Response, error) {
	asked := callFrom(req.Context())
	resp, err := q.next.RoundTrip(req)
	if err != nil {
		asked.note(err)
		return refused(req, err), nil
	}
	resp.Body = &quietBody{ReadCloser: resp.Body, asked: asked}
	return resp, nil
}

// refused returns an error in the words of both SDKs.
func refused(req *http.Request, err error) *http.Response {
	text, _ := json.Marshal(err.Error()) // a string always can be
	return &http.Response{
		Status: "400 Bad Request", StatusCode: http.StatusBadRequest, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {"application/json"}, "X-Should-Retry": {"false"}},
		Body: io.NopCloser(strings.NewReader(
			`{"type":"error","error":{"type":"` + string(state.CodeOf(err)) + `","code":400,"message":` + string(text) + `}}`)),
	}
}

// quietBody is a body that ends where it fails.
type quietBody struct {
	io.ReadCloser
	asked *call
}

// Read reads; its only error is io.EOF.
func (b *quietBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		b.asked.note(err)
		err = io.EOF
	}
	return n, err
}
