package crash_test

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// picture is all that lasts of a store but the log of its steps: every document with its key and revision. Ids that
// were made up are numbered as they appear, so that two stores that tell the same are equal.
func picture(t *testing.T, d driver, at string) []string {
	t.Helper()
	s, err := d.open(t.Context(), at)
	must(t, err)
	defer func() { must(t, s.Close()) }()
	docs, err := documents(t.Context(), s)
	must(t, err)
	if s.Features().Shared { // who goes on does so at a later time, and after a step of its own
		for i := range docs {
			docs[i] = timeless(docs[i])
		}
	}
	return renumbered(docs)
}

// timeless leaves out of a document when it was written, and by which steps. What the feed tells of an affair has its time of change only
// if that differed.
func timeless(doc string) string {
	doc = regexp.MustCompile(`\{"\$date":[^}]*\}`).ReplaceAllString(doc, "a time")
	doc = regexp.MustCompile(`\{"f":"updated_at","was":a time\},|,\{"f":"updated_at","was":a time\}`).ReplaceAllString(doc, "")
	doc = regexp.MustCompile(`("wrote":\{"thread":"[^"]*","seq":)\d+`).ReplaceAllString(doc, "${1}a step")
	return regexp.MustCompile(`"applied":\[[^\]]*\]`).ReplaceAllStringFunc(doc, func(marks string) string {
		return regexp.MustCompile(`"seq":\d+`).ReplaceAllString(marks, `"seq":a step`)
	})
}

func documents(ctx context.Context, s store.Store) (out []string, err error) {
	for _, c := range []state.Collection{state.Sessions, state.Messages, state.Affairs, state.Records, state.Feed, state.Open} {
		docs, err := s.Scan(ctx, store.Query{Collection: c})
		if err != nil {
			return nil, err
		}
		for _, d := range docs {
			body, err := bson.MarshalExtJSON(d.Body, false, false)
			if err != nil {
				return nil, err
			}
			out = append(out, fmt.Sprintf("%s %s rev %d %s", c, d.ID, d.Rev, body))
		}
	}
	return out, nil
}

// renumbered replaces each made-up id by a number of its own. The lines are put in an order that the ids have no
// part in first.
func renumbered(lines []string) []string {
	made := regexp.MustCompile(`id-\d+-\d+|\b[0-9a-f]{24}\b|\br-[0-9a-f]{6}\b`)
	slices.SortStableFunc(lines, func(a, b string) int {
		return cmp.Compare(made.ReplaceAllString(a, "*"), made.ReplaceAllString(b, "*"))
	})
	numbers := map[string]string{}
	for i, line := range lines {
		lines[i] = made.ReplaceAllStringFunc(line, func(id string) string {
			if numbers[id] == "" {
				numbers[id] = fmt.Sprintf("<%d>", len(numbers)+1)
			}
			return numbers[id]
		})
	}
	return lines
}

func TestRenumbered(t *testing.T) {
	t.Parallel()
	one := renumbered([]string{"affairs u/id-1-7 b", "affairs u/id-1-2 a", "records 0123456789abcdef01234567 of id-1-7"})
	two := renumbered([]string{"affairs u/id-2-1 a", "affairs u/id-2-3 b", "records 89abcdef0123456701234567 of id-2-3"})
	want := "affairs u/<1> a|affairs u/<2> b|records <3> of <2>"
	if strings.Join(one, "|") != want || strings.Join(two, "|") != want {
		t.Errorf("want %s, got %s and %s", want, one, two)
	}
}

func TestTimeless(t *testing.T) {
	t.Parallel()
	got := timeless(`records r rev 2 {"seq":7,"at":{"$date":"2026-02-15T21:00:00Z"},"applied":[{"thread":"c/s","seq":12},{"thread":"c/t","seq":3}]}`)
	want := `records r rev 2 {"seq":7,"at":a time,"applied":[{"thread":"c/s","seq":a step},{"thread":"c/t","seq":a step}]}`
	if got != want {
		t.Errorf("timeless = %s, want %s", got, want)
	}
}
