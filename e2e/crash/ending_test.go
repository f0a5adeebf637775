package crash_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory"
)

// ending is the end of a session without a crash: what it leaves and what it cost.
type ending struct {
	driver driver
	by     string
	at     string // the store before the end
	places []string
	reply  string
	left   []string
	billed map[string]int
}

// undisturbedEnding ends the session without a crash.
func undisturbedEnding(t *testing.T, d driver, by string) ending {
	t.Helper()
	r := ending{driver: d, by: by, at: preparedEnding(t, d, by)}
	j := r.job(t)
	a, killed := j.run(t)
	if killed {
		t.Fatal("the child that nobody kills was killed")
	}
	r.places, r.reply, r.left = a.Places, a.Reply, remembered(t, d, j.At)
	r.billed = counted(lines(t, j.Notes, "billed"))
	return r
}

// job is the first life of the end on a copy of the store.
func (r ending) job(t *testing.T) job {
	t.Helper()
	return job{Do: "turn", End: r.by, Driver: r.driver.name, At: r.driver.copy(t, r.at), Notes: t.TempDir(), Life: 1}
}

// remembered is what a store holds as a user sees it: records, affairs, sessions and messages without their revisions, times and made-up
// ids.
func remembered(t *testing.T, d driver, at string) []string {
	t.Helper()
	s, err := d.open(t.Context(), at)
	must(t, err)
	defer func() { must(t, s.Close()) }()
	m, err := memory.New(memory.Config{Store: s, Settings: endingSettings(), Now: storyTime})
	must(t, err)
	records, err := m.Records(t.Context(), scope())
	must(t, err)
	var out []string
	for _, r := range records {
		line := fmt.Sprintf("%s %s: %s; importance %d, pinned %v, over %v, said %d times", r.Kind, r.Subject, r.Content, r.Importance, r.Pinned, r.ValidTo != nil, r.Times)
		if r.Span != nil {
			line += fmt.Sprintf("; %s level %d of %v, messages %d-%d, waits %v, %q", r.ID, r.Span.Level, r.Span.Of, r.Span.First, r.Span.Last, r.Span.Waits, r.Span.Digest)
		}
		out = append(out, line)
	}
	sessions, err := m.Sessions().List(t.Context(), scope())
	must(t, err)
	for _, session := range sessions {
		out = append(out, fmt.Sprintf("session %s: part %d from %d, ending %d, active %v", session.ID, session.Part, session.PartFrom, len(session.Ending), session.Active != ""))
		messages, err := m.Messages(t.Context(), inSession(session.ID))
		must(t, err)
		for _, msg := range messages {
			out = append(out, fmt.Sprintf("session %s, %d: %s: %s", session.ID, msg.Seq, msg.Role, msg.Text))
		}
	}
	affairs, err := m.Affairs().List(t.Context(), inSession("s4"), true)
	must(t, err)
	for _, a := range affairs {
		out = append(out, fmt.Sprintf("affair %s %s: %s, %v, %d messages", a.Title, a.Status, a.Summary, a.PendingActions, a.Messages))
	}
	slices.Sort(out)
	return out
}

func endings() []string { return []string{byCommand, byReturn, byElsewhere, byClose, byRetry} }

// The end that the sweep kills does what it is there for: a part, a fact, an update, a deletion, a lesson, an L1 and an L2.
func TestTheEnding(t *testing.T) {
	t.Parallel()
	for _, d := range drivers() {
		for _, by := range endings() {
			t.Run(d.name+", "+by, func(t *testing.T) {
				t.Parallel()
				r := undisturbedEnding(t, d, by)
				all := strings.Join(r.left, "\n")
				t.Logf("%d places, billed %v:\n%s\n%s", len(r.places), r.billed, all, strings.Join(r.places, "\n"))
				for _, part := range []string{
					"fact music: plays the cello in a quartet on Fridays; importance 9, pinned false, over false",
					"fact work: works at the bakery Baumann as an electrician; importance 8, pinned false, over false",
					"fact work: is with Kaufmann; importance 5, pinned false, over true", "preference tea: drinks green tea; importance 5, pinned false, over true",
					"lesson what worked: Asking the seller", "l1.2 level 1 of [summary.s3.1 summary.s4.1]", "l2.1 level 2 of [l1.1 l1.2]",
					"session s4: part 2 from 7, ending 0",
				} {
					if strings.Count(all, part) != 1 {
						t.Errorf("%q stands there %d times", part, strings.Count(all, part))
					}
				}
				extracts, digests := 1, 2
				if by == byRetry {
					extracts, digests = 2, 0
				}
				if r.billed["small extract"] != extracts || r.billed["small digest"] != digests || strings.Contains(all, "waits true") {
					t.Errorf("billed %v", r.billed)
				}
			})
		}
	}
}

// The end of a session is killed at every write and every answer of a model, and another process goes on: what is remembered is as if
// nothing had been, nothing is lost and nothing is there twice.
func TestKillEnding(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	for _, d := range drivers() {
		for _, by := range endings() {
			t.Run(d.name+", "+by, func(t *testing.T) {
				t.Parallel()
				r := undisturbedEnding(t, d, by)
				places := d.someEndings(t, r.places)
				t.Logf("%d places, %d are tried", len(r.places), len(places))
				for i, place := range places {
					t.Run(place, func(t *testing.T) {
						t.Parallel()
						j := r.job(t)
						j.Die, j.GoOn = place, []string{"sweeps", "resumes"}[i%2]
						r.finish(t, j)
					})
				}
			})
		}
	}
}

// someEndings are the places of a sweep over an end: around the writes and the answers of models. Of those a part is tried, with
// MNEME_LONG=1 all, or half where a life takes long. MNEME_SEED says which part.
func (d driver) someEndings(t *testing.T, places []string) []string {
	t.Helper()
	places = slices.DeleteFunc(slices.Clone(places), func(place string) bool {
		return !regexp.MustCompile(`store/write#|^after .*(model|small)#|^after memory_flush`).MatchString(place)
	})
	every := 8
	switch long := os.Getenv("MNEME_LONG"); {
	case long == "2" || long != "" && !d.slow:
		return places
	case long != "":
		every = 2
	case d.slow:
		every = 16
	}
	var out []string
	for i := int(seed(t)) % every; i < len(places); i += every {
		out = append(out, places[i])
	}
	return out
}

// finish lets the first life die, and looks at what is left after the second.
func (r ending) finish(t *testing.T, j job) {
	t.Helper()
	if _, killed := j.run(t); !killed {
		t.Fatalf("the child lived on; it should have died %s", j.Die)
	}
	j = j.next()
	a, killed := j.run(t)
	if killed || a.Reply != r.reply {
		t.Errorf("reply %q (killed: %v), want %q", a.Reply, killed, r.reply)
	}
	if diff := gocmp.Diff(r.left, remembered(t, r.driver, j.At)); diff != "" {
		t.Errorf("what is remembered differs (-undisturbed +killed):\n%s", diff)
	}
	billed := counted(lines(t, j.Notes, "billed"))
	for what, n := range billed {
		if n < r.billed[what] || n > 2*r.billed[what] {
			t.Errorf("%s: billed %d times, undisturbed %d", what, n, r.billed[what])
		}
	}
}
