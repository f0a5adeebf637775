package provider_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/graph/provider/claude"
	"github.com/mneme-graph/mneme/graph/provider/gemini"
)

// dialect is a protocol as its own servers speak it: what a stub answers, and what it was asked.
type dialect struct {
	path, streamPath string // under the stub's address
	key              string // the header that carries the key, and how
	bearer           string

	answer     string   // "Hello", 11 tokens of prompt of which 8 are cached, 3 of answer
	calls      string   // two calls side by side: memory_recall {"query":"díl"} and list_affairs {}
	events     []string // of the same answer, in two pieces
	begun      int      // that many events end with the first piece
	callEvents []string // of the same calls
	errorEvent string   // says in a stream that the server is overloaded

	empty                      string // an answer without a choice
	withheld, full             string // an answer that is kept back; "Hel", which ends at the longest that is allowed
	withheldEvents, fullEvents []string

	wrongKey handler
	refusal  func(status int, header ...string) handler
	image    string // how a request holds the image data:image/png;base64,aGk=
}

type handler = http.HandlerFunc

// dialects by provider. Those that speak OpenAI's differ in their address.
func dialects() map[string]dialect {
	all := map[string]dialect{"claude": anthropic(), "gemini": google()}
	for _, name := range []string{"openai", "deepseek", "qwen", "ark", "openrouter", "ollama"} {
		all[name] = openai()
	}
	return all
}

// protocols are those of the leaves.
func protocols() []provider.Protocol {
	return []provider.Protocol{claude.Protocol(), gemini.Protocol()}
}

func openai() dialect {
	const usage = `"usage":{"prompt_tokens":11,"completion_tokens":3,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":8}}`
	call := func(delta string) string {
		return `data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[` + delta + `]},"finish_reason":null}]}`
	}
	said := func(kind, code string) string {
		return fmt.Sprintf(`{"error":{"message":"sorry, %s","type":%q,"param":null,"code":%s}}`, testKey, kind, code)
	}
	return dialect{
		path: "/v1/chat/completions", streamPath: "/v1/chat/completions", key: "Authorization", bearer: "Bearer ",
		answer: `{"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],` + usage + `}`,
		calls: `{"id":"c1","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","tool_calls":[
			{"id":"a","type":"function","function":{"name":"memory_recall","arguments":"{\"query\":\"díl\"}"}},
			{"id":"b","type":"function","function":{"name":"list_affairs","arguments":"{}"}}]}}]}`,
		events: []string{chunk("Hel"), chunk("lo"), stop("stop"), `data: {"id":"c1","choices":[],` + usage + `}`, "data: [DONE]"},
		begun:  1,
		callEvents: []string{
			call(`{"index":0,"id":"a","type":"function","function":{"name":"memory_recall","arguments":""}}`), call(`{"index":0,"function":{"arguments":"{\"query\":"}}`),
			call(`{"index":1,"id":"b","type":"function","function":{"name":"list_affairs","arguments":"{}"}}`), call(`{"index":0,"function":{"arguments":"\"díl\"}"}}`),
			stop("tool_calls"), "data: [DONE]",
		},
		empty:    `{"id":"c1","choices":[]}`,
		withheld: `{"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"content_filter"}]}`, withheldEvents: []string{stop("content_filter"), "data: [DONE]"},
		full: `{"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":"Hel"},"finish_reason":"length"}]}`, fullEvents: []string{chunk("Hel"), stop("length"), "data: [DONE]"},
		errorEvent: `data: {"error":{"message":"overloaded","type":"server_error","code":503}}`,
		wrongKey:   body(401, said("invalid_request_error", `"invalid_api_key"`)),
		refusal: func(status int, header ...string) handler {
			return body(status, said("server_error", "null"), header...)
		},
		image: `data:image/png;base64,aGk=`,
	}
}

func anthropic() dialect {
	event := func(kind, rest string) string {
		return fmt.Sprintf("event: %s\ndata: {\"type\":%q%s}", kind, kind, rest)
	}
	begin := event("message_start", `,"message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":3,"cache_read_input_tokens":8,"cache_creation_input_tokens":0,"output_tokens":1}}`)
	block := func(i int, kind string) string {
		return event("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":%s`, i, kind))
	}
	delta := func(i int, d string) string {
		return event("content_block_delta", fmt.Sprintf(`,"index":%d,"delta":%s`, i, d))
	}
	text := func(s string) string { return delta(0, fmt.Sprintf(`{"type":"text_delta","text":%q}`, s)) }
	args := func(i int, s string) string {
		return delta(i, fmt.Sprintf(`{"type":"input_json_delta","partial_json":%q}`, s))
	}
	end := func(i int) string { return event("content_block_stop", fmt.Sprintf(`,"index":%d`, i)) }
	over := func(reason string) []string {
		return []string{
			event("message_delta", fmt.Sprintf(`,"delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"input_tokens":3,"cache_read_input_tokens":8,"cache_creation_input_tokens":0,"output_tokens":3}`, reason)),
			event("message_stop", ""),
		}
	}
	said := func(kind string) string {
		return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":"sorry, %s"},"request_id":"r1"}`, kind, testKey)
	}
	return dialect{
		path: "/v1/messages", streamPath: "/v1/messages", key: "X-Api-Key",
		answer: `{"id":"m1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hello"}],"stop_reason":"end_turn",
			"usage":{"input_tokens":3,"cache_read_input_tokens":8,"cache_creation_input_tokens":0,"output_tokens":3}}`,
		calls: `{"id":"m1","type":"message","role":"assistant","model":"m","stop_reason":"tool_use","usage":{"input_tokens":11,"output_tokens":3},"content":[
			{"type":"tool_use","id":"a","name":"memory_recall","input":{"query":"díl"}},{"type":"tool_use","id":"b","name":"list_affairs","input":{}}]}`,
		events: append([]string{begin, block(0, `{"type":"text","text":""}`), event("ping", ""), text("Hel"), text("lo"), end(0)}, over("end_turn")...),
		begun:  4,
		callEvents: append([]string{
			begin, block(0, `{"type":"tool_use","id":"a","name":"memory_recall","input":{}}`), args(0, ""), args(0, `{"query":`), args(0, `"díl"}`), end(0),
			block(1, `{"type":"tool_use","id":"b","name":"list_affairs","input":{}}`), args(1, ""), end(1),
		}, over("tool_use")...),
		empty:          `{"id":"m1","type":"message","role":"assistant","model":"m","usage":{"input_tokens":1,"output_tokens":1}}`,
		withheld:       `{"id":"m1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":"refusal","usage":{"input_tokens":1,"output_tokens":1}}`,
		withheldEvents: append([]string{begin}, over("refusal")...),
		full:           `{"id":"m1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hel"}],"stop_reason":"max_tokens","usage":{"input_tokens":1,"output_tokens":1}}`,
		fullEvents:     append([]string{begin, block(0, `{"type":"text","text":""}`), text("Hel"), end(0)}, over("max_tokens")...),
		errorEvent:     event("error", `,"error":{"type":"overloaded_error","message":"Overloaded"}`),
		wrongKey:       body(401, said("authentication_error")),
		refusal: func(status int, header ...string) handler {
			return body(status, said(map[int]string{429: "rate_limit_error", 500: "api_error"}[status]), header...)
		},
		image: `"source":{"data":"aGk=","media_type":"image/png","type":"base64"}`,
	}
}

func google() dialect {
	const usage = `"usageMetadata":{"promptTokenCount":11,"cachedContentTokenCount":8,"candidatesTokenCount":3,"totalTokenCount":14}`
	event := func(parts, rest string) string {
		return `data: {"candidates":[{"content":{"role":"model","parts":[` + parts + `]},"index":0` + rest + `}],` + usage + `}`
	}
	const calls = `{"functionCall":{"name":"memory_recall","args":{"query":"díl"}},"thoughtSignature":"c2ln"},{"functionCall":{"name":"list_affairs","args":{}}}`
	said := func(code int, status, details string) string {
		return fmt.Sprintf(`{"error":{"code":%d,"message":"sorry, %s","status":%q,"details":[%s]}}`, code, testKey, status, details)
	}
	return dialect{
		path: "/v1beta/models/m:generateContent", streamPath: "/v1beta/models/m:streamGenerateContent", key: "X-Goog-Api-Key",
		answer:     `{"candidates":[{"content":{"role":"model","parts":[{"text":"Hello"}]},"finishReason":"STOP","index":0}],` + usage + `}`,
		calls:      `{"candidates":[{"content":{"role":"model","parts":[` + calls + `]},"finishReason":"STOP","index":0}],` + usage + `}`,
		events:     []string{event(`{"text":"Hel"}`, ""), event(`{"text":"lo"}`, `,"finishReason":"STOP"`)},
		begun:      1,
		callEvents: []string{event(calls, ""), event(`{"text":""}`, `,"finishReason":"STOP"`)},
		empty:      `{"candidates":[],` + usage + `}`,
		withheld:   `{"candidates":[{"finishReason":"SAFETY","index":0}],` + usage + `}`, withheldEvents: []string{`data: {"candidates":[{"finishReason":"SAFETY","index":0}],` + usage + `}`},
		full:       `{"candidates":[{"content":{"role":"model","parts":[{"text":"Hel"}]},"finishReason":"MAX_TOKENS","index":0}],` + usage + `}`,
		fullEvents: []string{event(`{"text":"Hel"}`, `,"finishReason":"MAX_TOKENS"`)},
		errorEvent: `data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`,
		wrongKey:   body(400, said(400, "INVALID_ARGUMENT", `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}`)),
		refusal: func(status int, header ...string) handler {
			details := ""
			if status == 429 && len(header) == 2 { // Google says it in the body
				details, header = fmt.Sprintf(`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"%ss"}`, header[1]), nil
			}
			return body(status, said(status, "RESOURCE_EXHAUSTED", details), header...)
		},
		image: `"inlineData":{"data":"aGk=","mimeType":"image/png"}`,
	}
}

// config names the model m of a provider at a stub.
func (d dialect) config(s *stub, name string) func(*provider.Config) {
	return func(c *provider.Config) {
		c.Model, c.BaseURL, c.Protocols = name+":m", s.URL+"/v1", protocols()
		if name == "gemini" {
			c.BaseURL = s.URL
		}
	}
}

// each runs a test for every provider.
func each(t *testing.T, test func(t *testing.T, name string, d dialect)) {
	t.Parallel()
	for name, d := range dialects() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, name, d)
		})
	}
}
