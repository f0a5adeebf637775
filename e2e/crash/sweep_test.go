package crash_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// run is a turn without a crash: what it leaves and what it cost.
type run struct {
	driver  driver
	rules   bool
	at      string // the store before the turn
	places  []string
	reply   string
	next    string
	picture []string
	billed  map[string]int
}

// undisturbed runs the turn without a crash. Rules = no small model judges.
func undisturbed(t *testing.T, d driver, rules bool) run {
	t.Helper()
	r := run{driver: d, rules: rules, at: prepared(t, d)}
	j := r.job(t)
	a, killed := j.run(t)
	if killed {
		t.Fatal("the child that nobody kills was killed")
	}
	r.places, r.reply, r.next, r.picture = a.Places, a.Reply, renumbered([]string{a.Next})[0], picture(t, d, j.At)
	r.billed = counted(lines(t, j.Notes, "billed"))
	return r
}

// job is the first life of a turn on a copy of the store.
func (r run) job(t *testing.T) job {
	t.Helper()
	return job{Do: "turn", Driver: r.driver.name, At: r.driver.copy(t, r.at), Notes: t.TempDir(), Life: 1, Rules: r.rules}
}

// next is the next life on the same store.
func (j job) next() job {
	j.Do, j.Life, j.Die, j.DieNth = "recover", j.Life+1, "", 0
	return j
}

func counted(list []string) map[string]int {
	out := map[string]int{}
	for _, s := range list {
		out[s]++
	}
	return out
}

// The turn that the sweep kills does what it is there for; a sweep over another turn would prove nothing.
func TestTheTurn(t *testing.T) {
	t.Parallel()
	for _, d := range drivers() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			r := undisturbed(t, d, false)
			t.Logf("%d places, billed %v:\n%s", len(r.places), r.billed, strings.Join(r.places, "\n"))
			t.Logf("the next turn: %s", r.next)
			all := strings.Join(r.picture, "\n")
			if r.reply != answered || len(r.places) < 40 {
				t.Errorf("reply %q, %d places, want %q and at least 40", r.reply, len(r.places), answered)
			}
			for _, part := range []string{"38.10", "07-14244-53150", "The university waits", "1 March 2026", answered} {
				if !strings.Contains(all, part) {
					t.Errorf("the store does not hold %q:\n%s", part, all)
				}
			}
			for _, place := range []string{"before intake", "after finalize", "after context_detect/model#1", "before respond/model#3",
				"after respond/tool:memory_store#1", "after respond/tool:ring#1", "before respond/tool:memory_recall#1", "after store/write#5"} {
				if !slices.Contains(r.places, place) {
					t.Errorf("the turn does not come by %s", place)
				}
			}
		})
	}
}

// A turn is killed at every place it has, each time in a process of its own, and another process goes on: it ends as
// if nothing had been.
func TestKillSweep(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts some two hundred processes")
	}
	for _, d := range drivers() {
		for _, rules := range []bool{false, true} {
			name := d.name + ", a model judges"
			if rules {
				name = d.name + ", rules judge"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if rules && os.Getenv("MNEME_LONG") == "" {
					t.Skip("MNEME_LONG=1 runs it; TestDoubleKills runs some of it")
				}
				r := undisturbed(t, d, rules)
				places := d.some(t, r.places)
				t.Logf("%d places, %d are tried", len(r.places), len(places))
				for i, place := range places {
					for _, way := range d.ways(i) {
						t.Run(place+", "+way, func(t *testing.T) {
							t.Parallel()
							j := r.job(t)
							j.Die, j.GoOn = place, way
							r.finish(t, j, 1)
						})
					}
				}
			})
		}
	}
}

// ways are the ways to go on that are tried at the i-th place: all of them with MNEME_LONG=1, where a life takes long with MNEME_LONG=2, else one of them.
func (d driver) ways(i int) []string {
	all := []string{"resumes", "sweeps", "again"}
	if long := os.Getenv("MNEME_LONG"); long == "2" || long != "" && !d.slow {
		return all
	}
	return all[i%3 : i%3+1]
}

// The process that goes on is killed as well, at a place that comes by chance.
func TestDoubleKills(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	for _, d := range drivers() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			runs := []run{undisturbed(t, d, false), undisturbed(t, d, true)}
			first := seed(t)
			t.Logf("seeds %d to %d; MNEME_SEED sets the first", first, first+d.doubles()-1)
			for n := first; n < first+d.doubles(); n++ {
				by := rand.New(rand.NewPCG(n, 1))
				r := runs[by.IntN(2)]
				place, nth, way := r.places[by.IntN(len(r.places))], 1+by.IntN(len(r.places)), []string{"resumes", "sweeps", "again"}[by.IntN(3)]
				t.Run(fmt.Sprintf("seed %d, rules %v: %s, then at place %d, %s", n, r.rules, place, nth, way), func(t *testing.T) {
					t.Parallel()
					j := r.job(t)
					j.Die, j.GoOn = place, way
					r.finish(t, j, nth)
				})
			}
		})
	}
}

// doubles is how many double kills are tried.
func (d driver) doubles() uint64 {
	n := uint64(3000)
	switch os.Getenv("MNEME_LONG") {
	case "":
		n = 25
	case "1":
		n = 500
	}
	if d.slow {
		n = max(10, n/5)
	}
	return n
}

// some are the places of a sweep: all of them, or a quarter where a life takes long. MNEME_SEED says which quarter.
func (d driver) some(t *testing.T, places []string) []string {
	t.Helper()
	if !d.slow || os.Getenv("MNEME_LONG") != "" {
		return places
	}
	const every = 4
	from := seed(t)
	t.Logf("every fourth place, MNEME_SEED=%d; MNEME_LONG=1 tries all", from%every)
	var out []string
	for i := int(from % every); i < len(places); i += every {
		out = append(out, places[i])
	}
	return out
}

func seed(t *testing.T) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(cmp.Or(os.Getenv("MNEME_SEED"), "1"), 10, 64)
	if err != nil {
		t.Fatalf("MNEME_SEED: %v", err)
	}
	return n
}

// finish lets the first life die, the second too at its nth place (1 = it is not killed), and looks at what is left
// after the last.
func (r run) finish(t *testing.T, j job, nth int) {
	t.Helper()
	if _, killed := j.run(t); !killed {
		t.Fatalf("the child lived on; it should have died %s", j.Die)
	}
	kills := 1
	j = j.next()
	if nth > 1 {
		j.DieNth = nth
	}
	a, killed := j.run(t)
	if killed {
		kills++
		j = j.next()
		if a, killed = j.run(t); killed {
			t.Fatal("the child that nobody kills was killed")
		}
	}
	if a.Reply != r.reply {
		t.Errorf("reply %q, want %q", a.Reply, r.reply)
	}
	if diff := gocmp.Diff(r.next, renumbered([]string{a.Next})[0]); diff != "" {
		t.Errorf("the next turn differs (-undisturbed +killed):\n%s", diff)
	}
	if diff := gocmp.Diff(r.picture, picture(t, r.driver, j.At)); diff != "" {
		t.Errorf("what is left differs (-undisturbed +killed):\n%s", diff)
	}
	r.paid(t, j, kills)
}

// paid looks at what the lives cost: what was committed is never done again, and a kill never loses more than one
// answer of a model.
func (r run) paid(t *testing.T, j job, kills int) {
	t.Helper()
	billed := counted(lines(t, j.Notes, "billed"))
	over := 0
	for what, n := range r.billed {
		over += billed[what] - n
		if billed[what] < n || billed[what] > n+kills {
			t.Errorf("%s: billed %d times, undisturbed %d", what, billed[what], n)
		}
		delete(billed, what)
	}
	chat, most := lost(t, j, regexp.MustCompile(`^after respond/model#`))
	if most > 1 {
		t.Errorf("a kill lost %d answers of the chat model, want 1 at most", most)
	}
	small, most := lost(t, j, regexp.MustCompile(`^after ([a-z]+_[a-z]+/model|respond/small)#`))
	if most > 1 {
		t.Errorf("a kill lost %d answers of the small model, want 1 at most", most)
	}
	if over > kills || over != chat+small || len(billed) > 0 {
		t.Errorf("%d answers of models were paid for again, %d were lost before their commit; unknown ones: %v", over, chat+small, billed)
	}
	rung := lines(t, j.Notes, "rung")
	if keys := slices.Compact(slices.Clone(rung)); len(keys) != 1 || strings.HasPrefix(keys[0], " ") {
		t.Errorf("the tool ran under %d idempotency keys, want 1: %q", len(keys), rung)
	}
	if again, _ := lost(t, j, regexp.MustCompile(`^after respond/tool:ring#1$`)); len(rung) != 1+again {
		t.Errorf("the tool ran %d times, and its result was lost before the commit %d times", len(rung), again)
	}
}

// lost counts the places of a kind that were passed after the last commit of the lives that were killed: what was
// done there is not in the store, and must be done again. Most is the largest count of one life.
func lost(t *testing.T, j job, kind *regexp.Regexp) (all, most int) {
	t.Helper()
	for life := 1; life < j.Life; life++ {
		since, passed := 0, j.passed(t, life)
		for i, place := range passed {
			dies := i == len(passed)-1
			switch {
			case strings.HasPrefix(place, "after store/write"), dies && strings.HasSuffix(place, ", only 1 steps"):
				since = 0
			case kind.MatchString(place):
				since++
			}
		}
		all, most = all+since, max(most, since)
	}
	return all, most
}
