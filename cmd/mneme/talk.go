package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

// talk is one conversation on the console.
type talk struct {
	con   *console
	lines *prompter
	g     *opened
	trace bool
	brings
	last graph.Reply
	next string          // a line that was no answer to a question: it is the next message
	told map[string]bool // the suggestions that were shown
}

// settle asks what the turn of a reply waits for, question by question, and prints how it goes on. When the input ends
// the turn is left to wait, over is true, and how to answer later is said.
func (t *talk) settle(ctx context.Context, reply graph.Reply) (over bool, err error) {
	for len(reply.Waits) > 0 {
		// Questions are put one at a time.
		ask := reply.Waits[0]
		fmt.Fprintln(t.con.out, t.con.paint(bold, "The turn waits for an answer:"))
		t.con.question(ask)

		// The input's end leaves the turn waiting; a message in place of an answer goes on with the conversation.
		answer, err := t.hear(ctx)
		if errors.Is(err, errNext) {
			return false, nil
		}
		if errors.Is(err, io.EOF) {
			fmt.Fprintf(t.con.out, "The turn goes on waiting; `mneme approve --session %s` answers it later.\n", t.g.scope.Session)
			return true, nil
		}
		if err != nil {
			return false, err
		}

		// An answer takes the turn on to its end or to its next question.
		next, err := t.g.Answer(ctx, t.g.scope, map[string]state.Answer{ask.ID: answer})
		switch {
		case errors.Is(err, state.ErrInvalid): // it does not fit the question: that is put again
			t.con.complain(err)
		case err != nil:
			return false, err
		default:
			reply = next
			t.show(ctx, reply, false)
		}
	}
	return false, nil
}

// errNext says that a line was no answer: the conversation goes on with it, and the change of memory that was asked about waits as a suggestion.
var errNext = errors.New("not answered")

// hear reads lines until one is an answer. io.EOF = there are no more, or /quit; errNext = it was a message.
func (t *talk) hear(ctx context.Context) (state.Answer, error) {
	for {
		line, err := t.read(ctx, "y, n [REASON], e JSON or l> ")
		switch {
		case err != nil:
			return state.Answer{}, err
		case isQuit(line):
			return state.Answer{}, io.EOF
		}

		a, err := parseAnswer(line)
		switch {
		case err == nil:
			return a, nil
		case line != "" && !startsAnswer(line):
			t.next = line
			return state.Answer{}, errNext
		}
		t.con.complain(err)
	}
}

// startsAnswer reports whether a line begins as an answer does.
func startsAnswer(line string) bool {
	word, _, _ := strings.Cut(strings.ToLower(line), " ")
	return slices.Contains([]string{"y", "yes", "n", "no", "e", "edit", "l", "later"}, word)
}

// read reads a line without the blanks around it; on a terminal it prompts. io.EOF = there are no more.
func (t *talk) read(ctx context.Context, prompt string) (string, error) {
	if next := t.next; next != "" {
		t.next = ""
		return next, nil
	}
	var line string
	var err error
	if t.con.edit != nil {
		line, err = t.con.edit.next(ctx, prompt)
	} else {
		if t.con.tty {
			fmt.Fprint(t.con.out, t.con.paint(bold, prompt))
		}
		line, err = t.lines.next(ctx)
	}
	if line = strings.TrimSpace(line); errors.Is(err, io.EOF) && line != "" {
		return line, nil
	}
	return line, err
}

// parseAnswer reads an answer as it is typed: y, n or e and what belongs to it.
func parseAnswer(line string) (state.Answer, error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch word = strings.ToLower(word); {
	case (word == "y" || word == "yes") && rest == "":
		return state.Answer{Choice: state.Approve}, nil
	case word == "n" || word == "no":
		return state.Answer{Choice: state.Reject, Reason: rest}, nil
	case (word == "l" || word == "later") && rest == "":
		return state.Answer{Choice: state.Suggest}, nil
	case word == "e" || word == "edit":
		if !json.Valid([]byte(rest)) {
			return state.Answer{}, state.Errorf(state.Invalid, "answer", `its value is no JSON; e {"name": "value"} runs the call with other arguments`)
		}
		return state.Answer{Choice: state.Edit, Value: rest}, nil
	}
	return state.Answer{}, state.Errorf(state.Invalid, fmt.Sprintf("answer %.40q", line), "is not known; y = do it, n [REASON] = do not, e JSON = do it with this, l = later, as a suggestion")
}

// question prints what a person is asked.
func (c *console) question(ask checkpoint.Ask) {
	q := ask.Question
	c.field("question", q.Text)
	c.fields("arguments", q.Arguments, "answers", strings.Trim(fmt.Sprint(q.Choices), "[]"), "id", ask.ID)
}
