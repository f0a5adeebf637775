package nodes_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
)

// A tool gets the arguments as the model wrote them; what is kept and shown again has no secret, nor have results and answers.
func TestSecretsOfTools(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	var got string
	door := handmade{"door", func(_ context.Context, args string) (string, error) {
		got = args
		return "opened; the password is now Winter2024x", nil
	}}
	const args = `{"n":12345678901234567,"password":"hunter2Swordfish99","note":"for Ann"}`
	m := script(
		scripted.Calls(state.ToolCall{ID: "a", Name: "door", Arguments: args}),
		scripted.Say("Open. Your new password is Winter2024x."),
	)
	turn, err := b.respond(t.Context(), t, m, door)
	must(t, err)
	if got != args {
		t.Errorf("the tool got %s, want what the model wrote", got)
	}
	want := []string{
		`2 assistant door[a]{"n":12345678901234567,"note":"for Ann","password":"[masked password 7792]"}`,
		"3 tool opened; the password is now [masked password 26] <a",
		"4 assistant Open. Your new password is [masked password 26].",
	}
	same(t, "messages", want, lines(turn))
	for _, e := range b.events {
		if e.Name != state.TokenEvent && (strings.Contains(e.Text, "Winter2024x") || strings.Contains(e.Text, "Swordfish")) {
			t.Errorf("event %s shows a secret: %s", e.Name, e.Text)
		}
	}
}

// An attempt in another process has the arguments without their secret: the tool is not run with a placeholder.
func TestASecretOfAnEarlierAttempt(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	runs := 0
	door := handmade{"door", func(context.Context, string) (string, error) {
		runs++
		return "", state.ErrWaits
	}}
	config := b.config(script(
		scripted.Calls(state.ToolCall{ID: "a", Name: "door", Arguments: `{"password":"hunter2Swordfish99"}`}),
		scripted.Say("I have to ask again."),
	), door)
	b.durable = b.arrive(t.Context(), t, "Hello!")
	if _, err := b.run(t.Context(), b.durable, nodes.MemoryLoad(b.memory), nodes.Respond(config)); !errors.Is(err, state.ErrWaits) {
		t.Fatalf("the first attempt: %v", err)
	}
	turn, err := b.run(t.Context(), b.durable, nodes.MemoryLoad(b.memory), nodes.Respond(config))
	if err != nil || runs != 1 {
		t.Fatalf("the second attempt: %v, %d runs", err, runs)
	}
	if got := strings.Join(lines(turn), "\n"); !strings.Contains(got, "was not kept") {
		t.Errorf("messages:\n%s", got)
	}
}
