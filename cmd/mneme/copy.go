package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/sqlite"
	"github.com/mneme-graph/mneme/state/store/transfer"
)

type copyCommand struct {
	From      string `required:"" help:"The store to copy: a folder or mongodb://..." placeholder:"STORE"`
	To        string `required:"" help:"Where to: a folder, made if it is not there, or mongodb://..." placeholder:"STORE"`
	Overwrite bool   `help:"Replace documents that differ, and leave alone what only the target has."`
	Plain     bool   `help:"Write the target without encryption, though there are keys."`
	Skip      bool   `name:"skip-damaged" help:"Copy what can be read of a damaged folder, and list what cannot."`
	JSON      bool   `name:"json" help:"The report as one JSON object; progress as JSON on stderr."`
}

// Help is printed by mneme copy --help.
func (copyCommand) Help() string {
	return `Copies every document from one store to another, then reads both and compares them byte for byte. A copy that
was cut off goes on when it is run again. A target that holds other data is refused (status 4).

Nobody may write to the source meanwhile: end what uses it, or copy a backup. What changes is found out.

With MNEME_ENCRYPTION_KEYS the target is encrypted, whether or not the source is.

With --skip-damaged every document of a damaged folder that is whole is copied, whatever is damaged around it, and the
report lists what is lost: the pages, between which documents they stand, and documents of which only the id is left.
Status 1 says that the list names something; the copy is made all the same, and can be used.

Examples:
  mneme copy --from .mneme --to /mnt/disk/mneme
  mneme copy --from .mneme --to .saved --skip-damaged
  mneme copy --from .mneme --to mongodb://localhost:27017/mneme
  mneme copy --from mongodb://localhost:27017/mneme --to rescued --json
  export MNEME_ENCRYPTION_KEYS=$(mneme keys new)      # keep it: without it nobody opens the copy
  mneme copy --from .mneme --to .encrypted`
}

// copied is the report of a copy.
type copied struct {
	From   string          `json:"source"`
	To     string          `json:"target"`
	Sealed bool            `json:"encrypted"` // the target
	MS     int64           `json:"ms"`
	Did    transfer.Report `json:"report"`

	// With --skip-damaged.
	Damage *sqlite.Damage      `json:"damage,omitempty"`
	Mended []checkpoint.Mended `json:"mended,omitempty"` // threads that go on without steps that are lost
}

// Run copies, prints progress to stderr and the report when both sides were found equal.
func (c *copyCommand) Run(ctx context.Context, con *console) (err error) {
	// A mistyped source must not be made, nor a store be copied onto itself.
	if err := mustHoldStore(c.From, "name another with --from"); err != nil {
		return err
	}
	if sameFolder(c.From, c.To) {
		return state.Errorf(state.Conflict, "copy", "%s would be copied onto itself; name another with --to", c.From)
	}

	// The target gets the same keys as the source, or none with --plain.
	keys := lookup(con.environ, keysVariable)
	from, err := openSource(ctx, c.From, keys, c.Skip)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	defer func() { err = errors.Join(err, from.close()) }()
	if c.Plain {
		keys = ""
	}
	to, err := openStore(ctx, c.To, keys)
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	defer func() { err = errors.Join(err, to.close()) }()

	// The copy ends with a comparison of both sides.
	began := con.now()
	m := &meter{con: con, json: c.JSON}
	report, err := transfer.Copy(ctx, transfer.Config{From: from.Store, To: to.Store, Overwrite: c.Overwrite, Progress: m.show})
	if err != nil {
		return err
	}
	done := copied{From: masked(c.From), To: masked(c.To), Sealed: keys != "", Did: report}
	if done.Damage, done.Mended, err = mendCopy(ctx, con, from.driver, to.Store); err != nil {
		return err
	}
	done.MS = con.now().Sub(began).Milliseconds()
	if c.JSON {
		err = encode(con.out, done)
	} else {
		done.print(con)
	}
	if err == nil && done.lost() {
		err = errUnmet // what is lost is listed
	}
	return err
}

// lost reports whether the copy lacks what the source had.
func (c copied) lost() bool {
	return c.Damage != nil && (len(c.Damage.Lost) > 0 || c.Damage.Commits > 0) || len(c.Mended) > 0
}

func sameFolder(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	return err == nil && os.SameFile(one, two)
}

func (c copied) print(con *console) {
	r := c.Did
	fmt.Fprintln(con.out, con.paint(bold, fmt.Sprintf("%s, %s, equal on both sides", counted(int(r.From.Documents), "document"), megabytes(r.From.Bytes))))
	con.field("from", c.From)
	con.field("to", c.To)
	if c.Sealed {
		con.field("encrypted", "yes")
	}
	positive := func(n int64) string { return strings.TrimPrefix(strconv.FormatInt(n, 10), "0") }
	con.fields("written", fmt.Sprint(r.Written), "replaced", positive(r.Replaced), "there before", positive(r.Skipped), "left alone", positive(r.Extra))

	// Equal sums are equal documents, whatever the driver; then what each collection holds.
	con.field("sha256", r.From.SHA256)
	rows := [][]string{{"COLLECTION", "DOCUMENTS", "SIZE"}}
	for _, count := range r.Collections {
		if count.Documents > 0 {
			rows = append(rows, []string{string(count.Collection), strconv.FormatInt(count.Documents, 10), megabytes(count.Bytes)})
		}
	}
	table(con.out, rows)
	if c.Damage != nil {
		printDamage(con, *c.Damage, c.Mended)
	}
}

// mendCopy lets the sessions of a copy go on whose log has gaps, and tells what could not be read of its source. A source that was opened
// as one that is sound has no damage.
func mendCopy(ctx context.Context, con *console, from, to store.Store) (*sqlite.Damage, []checkpoint.Mended, error) {
	s, ok := from.(*sqlite.Salvaged)
	if !ok {
		return nil, nil, nil
	}
	damage := s.Damage()
	log := checkpoint.New(checkpoint.Config{Store: to, Now: con.now, NewID: uuid.NewString})
	mended, err := log.Mend(ctx)
	return &damage, mended, errors.Join(err, log.Close())
}

// printDamage lists what is lost.
func printDamage(con *console, d sqlite.Damage, mended []checkpoint.Mended) {
	switch {
	case len(d.Lost) > 0:
		fmt.Fprintln(con.out, con.paint(bold, fmt.Sprintf("lost: what stood in %d damaged places", len(d.Lost))))
	case d.Commits == 0:
		fmt.Fprintln(con.out, "nothing is lost")
	}
	for _, l := range d.Lost {
		fmt.Fprintln(con.out, "  "+l.String())
	}
	for _, m := range mended {
		if m.Empty {
			fmt.Fprintf(con.out, "  the log of %s: it begins anew; its messages are there as far as they are not named above\n", m.Thread.Key())
		} else {
			fmt.Fprintf(con.out, "  the log of %s before step %d\n", m.Thread.Key(), m.From)
		}
	}
	if d.Mended > 0 {
		fmt.Fprintf(con.out, "in %s one bit was wrong; their checksums tell which, and they are whole\n", counted(d.Mended, "page"))
	}
	if d.Commits > 0 {
		fmt.Fprintf(con.out, "the last %d commits are not there any more\n", d.Commits)
	}
	if d.Doubtful {
		fmt.Fprintln(con.out, "the list of free pages is damaged: documents that were deleted may be among the copied ones")
	}
}

// megabytes writes a size; one below a megabyte is told in kilobytes.
func megabytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%.0f KB", math.Ceil(float64(n)/(1<<10)))
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

// meter prints progress to stderr: when a phase begins, and then at most once a second.
type meter struct {
	con   *console
	json  bool
	phase transfer.Phase
	shown time.Time
}

func (m *meter) show(p transfer.Progress) {
	now := m.con.now()
	if p.Phase == m.phase && now.Sub(m.shown) < time.Second {
		return
	}
	m.phase, m.shown = p.Phase, now
	if m.json {
		_ = encode(m.con.err, map[string]transfer.Progress{"progress": p}) // a report that cannot be printed is an error, this is not
		return
	}
	fmt.Fprintf(m.con.err, "%-6s  %-8s  %s, %s\n", p.Phase, p.Collection, counted(int(p.Documents), "document"), megabytes(p.Bytes))
}
