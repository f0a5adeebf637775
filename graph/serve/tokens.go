package serve

import (
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/state"
)

// Tokens bounds what models take and give, 0 = without a bound. It is counted when a turn ends: the turn that goes over the bound is answered, the next one
// is refused.
type Tokens struct {
	Minute int // within a minute
	Day    int // within a day
}

// used counts tokens within a span of time, which begins with the first of them.
type used struct {
	from   time.Time
	tokens int
}

// wait returns how long it is until the span is over, 0 where the bound is not reached or the span is over.
func (u used) wait(most int, span time.Duration, now time.Time) time.Duration {
	if most <= 0 || u.tokens < most {
		return 0
	}
	return max(0, u.from.Add(span).Sub(now))
}

func (u *used) add(tokens int, span time.Duration, now time.Time) {
	if now.Sub(u.from) >= span {
		*u = used{from: now}
	}
	u.tokens += tokens
}

const day = 24 * time.Hour

// spending is what one key or one client has used.
type spending struct{ minute, day used }

// spenders are a key and its client as the counts know them, with what each may use. The caller holds the guard.
func (g *guard) spenders(key access.Key) map[string]Tokens {
	return map[string]Tokens{"key/" + key.ID: g.limits.KeyTokens, "client/" + key.Client: g.limits.ClientTokens}
}

// overspent refuses a key that has used as many tokens as it, or its client, may. The caller holds the guard.
func (g *guard) overspent(key access.Key) error {
	var wait time.Duration
	now := g.c.Now()
	for who, most := range g.spenders(key) {
		if s := g.spent[who]; s != nil {
			wait = max(wait, s.minute.wait(most.Minute, time.Minute, now), s.day.wait(most.Day, day, now))
		}
	}
	if wait == 0 {
		return nil
	}
	return tooMuch("models have taken and given as many tokens for this key, or its client, as they may; come again when Retry-After says", wait)
}

// counted hands a turn's events on. What the turn was charged is counted before anybody hears of its end.
func (g *guard) counted(key access.Key, turn events) events {
	return func(yield func(graph.Event, error) bool) {
		for e, err := range turn {
			if e.Name == state.RunEnd && e.Reply != nil {
				g.spend(key, e.Reply.Trace.Charged)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// spend counts what a turn was charged, where there is a bound.
func (g *guard) spend(key access.Key, u state.Usage) {
	const many = 10000 // counts, before those that are over are dropped
	tokens, now := u.PromptTokens+u.CompletionTokens, g.c.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	for who, most := range g.spenders(key) {
		if tokens == 0 || most == (Tokens{}) {
			continue
		}
		if len(g.spent) >= many {
			for old, s := range g.spent {
				if now.Sub(s.day.from) >= day {
					delete(g.spent, old)
				}
			}
		}
		s := g.spent[who]
		if s == nil {
			s = &spending{}
			g.spent[who] = s
		}
		s.minute.add(tokens, time.Minute, now)
		s.day.add(tokens, day, now)
	}
}
