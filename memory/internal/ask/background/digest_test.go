package background

import (
	"context"
	"strings"
	"testing"
)

func TestDigest(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"summary":"One. Two.\n\nThree."}`:       "One. Two.\n\nThree.",
		"# Podsumowanie\n\nOne. Two.\n\nThree.":   "One. Two.\n\nThree.",
		"```\nSummary: One.\nTwo.\n```":           "One.\n\nTwo.",
		"<think>well</think>\"It came.\"":         "It came.",
		strings.Repeat("Это было. ", 200):         strings.TrimSpace(strings.Repeat("Это было. ", 75)),
		strings.Repeat("x", 3000) + ". And more.": cut(strings.Repeat("x", 3000)+".", 2*maxDigest),
	} {
		got, err := tasks(answer).Digest(context.Background(), 1, []string{"a", "b"}, "pl")
		if err != nil || (got != want && !strings.HasPrefix(want, "Это")) {
			t.Errorf("%.60q: got %.60q, %v; want %.60q", answer, got, err, want)
		}
		if n := len(got); n > 4*maxDigest {
			t.Errorf("%.60q: %d bytes", answer, n)
		}
	}
	words := func(s string) int { return len(strings.Fields(s)) }
	got, err := New(Config{Model: says(strings.Repeat("One two three. ", 200)), Count: words}).Digest(context.Background(), 2, nil, "")
	if n := words(got); err != nil || n != maxDigest {
		t.Errorf("%d words, %v; want %d", n, err, maxDigest)
	}
	for _, answer := range []string{"# Heading only", "null", `{"summary":""}`} {
		if got, err := tasks(answer).Digest(context.Background(), 1, nil, ""); !mention(err, "task digest", "says nothing") {
			t.Errorf("%q: got %q, %v", answer, got, err)
		}
	}
}

func TestDigestPrompt(t *testing.T) {
	t.Parallel()
	f := says("x")
	long := make([]string, 50)
	for i := range long {
		long[i] = strings.Repeat("t", 5000)
	}
	if _, err := New(Config{Model: f}).Digest(context.Background(), 2, long, "cs"); err != nil {
		t.Fatal(err)
	}
	if n := len(f.prompt); n > 25_000 || !strings.HasPrefix(f.prompt, "Task: digest\n") || !strings.Contains(f.prompt, "each of several conversations") {
		t.Errorf("the prompt has %d bytes:\n%.300s", n, f.prompt)
	}
}
