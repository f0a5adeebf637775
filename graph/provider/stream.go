package provider

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// maxEventBytes bounds one event of a stream.
const maxEventBytes = 4 << 20

// eventStream hands the data lines of a server-sent event stream on, each checked: comments and other
// fields are dropped, an error event and an end before the answer was finished become errors. Not safe for
// concurrent use.
type eventStream struct {
	body     io.ReadCloser
	lines    *bufio.Scanner
	blame    blame
	events   events
	seal     Seal         // is told each event; nil = nobody
	out      bytes.Buffer // checked lines not yet read
	finished bool         // a finish reason was seen
	end      error        // what Read returns when out is empty; nil = read on
}

// events is what an eventStream knows of a protocol.
type events struct {
	finished func(event []byte) bool // an event says that the answer is whole
	named    bool                    // the reader wants each event's type as its name
}

func newEventStream(body io.ReadCloser, b blame, e events, seal Seal) *eventStream {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxEventBytes)
	return &eventStream{body: body, lines: lines, blame: b, events: e, seal: seal}
}

// prime waits for the first event, so that a stream which never begins can be asked for again.
func (s *eventStream) prime() *refusal {
	s.fill()
	switch {
	case s.end == nil:
		return nil
	case errors.Is(s.end, io.EOF):
		return s.blame.broken("stream ended before it began")
	}
	return refusalOf(s.end, s.blame)
}

// Read returns checked lines; at the end io.EOF, or a typed error if the answer was not finished.
func (s *eventStream) Read(p []byte) (int, error) {
	if s.out.Len() == 0 {
		s.fill()
	}
	if s.out.Len() == 0 {
		return 0, s.end
	}
	return s.out.Read(p)
}

// Close ends the stream wherever it is.
func (s *eventStream) Close() error { return s.body.Close() }

// fill takes the next event, or sets end.
func (s *eventStream) fill() {
	for s.end == nil && s.out.Len() == 0 {
		if !s.lines.Scan() {
			s.end = s.ending()
			return
		}
		if data, ok := bytes.CutPrefix(bytes.TrimSpace(s.lines.Bytes()), []byte("data:")); ok {
			s.event(bytes.TrimSpace(data))
		}
	}
}

// event checks one event and puts it out.
func (s *eventStream) event(data []byte) {
	if string(data) == "[DONE]" {
		s.out.WriteString("data: [DONE]\n")
		s.end = io.EOF
		return
	}
	var e struct {
		Type  string          `json:"type"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(data, &e); err != nil {
		s.end = &readError{s.blame.broken("stream holds an event that is not JSON: %w", err)}
		return
	}
	if len(e.Error) > 0 && string(e.Error) != "null" {
		var said apiError
		_ = json.Unmarshal(e.Error, &said) // an error that is no object has no code
		s.end = &readError{s.blame.said(&said, http.Header{}, data)}
		return
	}
	s.finished = s.finished || s.events.finished(data)
	if s.seal != nil {
		s.seal.Add(data)
	}
	if s.events.named {
		s.out.WriteString("event: " + e.Type + "\n")
	}
	s.out.WriteString("data: ")
	s.out.Write(data)
	s.out.WriteString("\n\n")
}

// ending says how the stream ended when no line is left.
func (s *eventStream) ending() error {
	err := s.lines.Err()
	var typed *readError
	switch {
	case err == nil && s.finished:
		return io.EOF
	case err == nil:
		return &readError{s.blame.broken("stream was cut")}
	case errors.As(err, &typed):
		return err
	}
	return &readError{s.blame.broken("stream cannot be read: %w", err)}
}
