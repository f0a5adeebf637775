package bench

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// longLives measures what a turn takes after up to twenty thousand others of the same user against one after a hundred: mixed talk
// in 300 affairs, a record every fourth turn. The turns take place by turns, so that all meet the same machine.
func longLives(ctx context.Context, r *run) error {
	// The longest life takes too long for a quick run.
	lives := []int{100, 1000, 10000, 20000}
	if r.c.Quick {
		lives = lives[:3]
	}
	var pipelines []*pipeline
	defer func() {
		for _, p := range pipelines {
			p.Close() //nolint:errcheck // nothing waits
		}
	}()

	// Each life is written in bulk into a store of its own, and gone on with in a graph.
	for _, n := range lives {
		s := ram.New()
		if err := live(ctx, s, state.Scope{Session: "bench"}.Default(), n); err != nil {
			return err
		}
		p, err := newPipeline(ctx, graph.Config{Store: s})
		if err != nil {
			return err
		}
		pipelines = append(pipelines, p)
	}

	// The first life is what the others are measured against.
	n := r.times(60, 400)
	p50, err := r.byTurns(ctx, n, pipelines, func(i int, p *pipeline) error { return p.talk(ctx, lives[i]) })
	if err != nil {
		return err
	}
	for i, turns := range lives[1:] {
		r.figure("turn.growth_ratio", "times", p50[i+1]/p50[0], n, map[string]string{"turns": strconv.Itoa(turns), "to": strconv.Itoa(lives[0])})
	}
	return nil
}

// talk runs the next turn of a life: a message of its affairs, one tool call and an answer.
func (p *pipeline) talk(ctx context.Context, after int) error {
	p.said++
	text, _ := spoken(after + p.said)
	_, err := p.Invoke(ctx, graph.Request{Scope: state.Scope{Session: "bench"}, Model: oneCall(p.said), Text: text})
	return err
}

// ofLife is the number of affairs of a life.
const ofLife = 300

// spoken returns what the user says in turn i, and what the assistant answers. An affair is talked of for four turns.
func spoken(i int) (user, assistant string) {
	a, n := affairOf(i), i*31%900+100
	who, what, where := name(a*7), topic(a), place(a/7)
	switch i % 8 {
	case 0:
		return fmt.Sprintf("Let us look at the %s for %s in %s now, I need them by day %d.", what, who, where, n), fmt.Sprintf("Good, I will keep an eye on the %s for %s.", what, who)
	case 1:
		return fmt.Sprintf("The supplier said on the phone that it costs %d with delivery and that we should pay before Friday.", n), "I have that: paid before Friday, delivery included."
	case 2:
		return "And what do you think, is it worth waiting for a better price?", fmt.Sprintf("Prices of %s rarely change in %s, so I would not wait long.", what, where)
	case 3:
		return fmt.Sprintf("Fine, then I will call %s tomorrow morning and ask about the invoice and the guarantee.", who), "Shall I write the questions down for you?"
	case 4:
		return fmt.Sprintf("Now the %s: %s wrote that the truck to %s is late again, number %d-%d.", what, who, where, n, i), "That is the second time this month. I have noted the number."
	case 5:
		return "Yes please, and tell me when we last had a problem with them.", fmt.Sprintf("The last time was with the %s in %s, some weeks ago.", what, where)
	case 6:
		return "Thanks, I had a really long day with the family and the kids were ill, so I forgot about it.", "I am sorry to hear that. Nothing is lost, we can go on when you like."
	}
	return fmt.Sprintf("Please order %d more of them, the same as before, and let me know what the total is.", n%40+2), "I will order them and tell you the total as soon as it is known."
}

func affairOf(i int) int { return i / 4 * 7 % ofLife }

// live writes the messages, affairs and records of so many turns in bulk.
func live(ctx context.Context, s store.Store, scope state.Scope, turns int) error {
	// Each turn has an affair that it speaks of, two messages, and now and then a record.
	at := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	var docs bulk
	affairs := map[int]*state.Affair{}
	for i := range turns {
		at = at.Add(10 * time.Minute)
		n, turn := affairOf(i), "t"+strconv.Itoa(i)
		a := affairs[n]
		if a == nil {
			a = &state.Affair{
				ID: "a" + strconv.Itoa(n), Client: scope.Client, User: scope.User, Title: topic(n) + " for " + name(n*7), Status: state.Parked,
				KeyFacts: state.Facts{{Label: "place", Value: place(n / 7)}}, CreatedAt: at,
			}
			affairs[n] = a
		}
		a.Messages, a.UpdatedAt = a.Messages+2, at
		user, assistant := spoken(i)
		for j, text := range []string{user, assistant} {
			seq, role := int64(2*i+j+1), []state.Role{state.RoleUser, state.RoleAssistant}[j]
			docs.put(state.Messages, scope.MessageKey(seq), state.Message{ID: fmt.Sprint("m", seq), Seq: seq, Turn: turn, Role: role, Text: text, Affair: a.ID, At: at})
		}
		if i%4 == 0 {
			docs.put(state.Records, scope.Key("r"+strconv.Itoa(i)), state.Record{
				ID: "r" + strconv.Itoa(i), Client: scope.Client, User: scope.User, Agent: scope.Agent, Session: scope.Session, Kind: state.FactRecord,
				Subject: "order " + strconv.Itoa(i), Content: user, Trust: state.TrustUser, Importance: 5, RecordedAt: at, ValidFrom: at,
			})
		}
	}

	// Affairs are written last, as they are after all turns.
	for _, a := range affairs {
		docs.put(state.Affairs, scope.Key(a.ID), *a)
	}
	docs.put(state.Sessions, scope.SessionKey(), state.Session{Client: scope.Client, User: scope.User, ID: scope.Session, Part: 1, Messages: int64(2 * turns), StartedAt: at.Add(-time.Hour), LastAt: at})
	return docs.write(ctx, s)
}
