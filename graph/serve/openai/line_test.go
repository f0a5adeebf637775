package openai

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// patient counts how often it is given a while.
type patient struct {
	*httptest.ResponseRecorder
	given int
}

// SetWriteDeadline counts.
func (p *patient) SetWriteDeadline(time.Time) error {
	p.given++
	return nil
}

// A stream that has nothing to say for long goes on: each sign of life gives it a while anew, as words do.
func TestASilentStreamGoesOn(t *testing.T) {
	t.Parallel()
	p := &patient{ResponseRecorder: httptest.NewRecorder()}
	l := &line{w: p, control: http.NewResponseController(p)}
	for range 3 {
		was := p.given
		if !l.alive(func(events func() []sse) bool { return l.write(events()) }) || p.given == was {
			t.Errorf("it was given a while %d times, as before", p.given)
		}
	}
}
