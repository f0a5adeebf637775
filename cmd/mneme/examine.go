package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/serve/hooks"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/extraction"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/mongo"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// storeReport is what doctor says about the store.
type storeReport struct {
	store, encryption, turns string
	archive                  string // how much is in it; "" = not looked at
	erasures                 string // where what was erased is kept outside; "" = not looked at
	degraded                 [][2]string
	err                      error // why it cannot be used
	meant                    meantReport
	set                      *settings.Set // what holds for the scope; nil = there is no store
	batch                    extraction.Standing
}

// examine looks at the store without making one.
func (c config) examine(ctx context.Context, now func() time.Time) storeReport {
	// The keys are looked at before the store that needs them.
	r := storeReport{encryption: "off", turns: "none unfinished"}
	ring, err := parseKeys(c.get("encryption_keys"))
	switch ids := ring.IDs(); {
	case err != nil:
		r.encryption, r.err = err.Error(), err
	case len(ids) == 1:
		r.encryption = "on, with key " + ids[0]
	case len(ids) > 1:
		r.encryption = "on, with key " + ids[0] + "; what " + strings.Join(ids[1:], ", ") + " encrypted can be read"
	}

	// A driver that is not known ends it; a folder that is not there does so after a look at the embedder.
	if err := c.drivers(); err != nil {
		r.store, r.err = err.Error(), err
		r.meant = meantReport{embedder: "not looked at", vectors: "not looked at"}
		return r
	}
	if !c.onServer() {
		there, err := r.folder(c.get("dir"))
		if err != nil || !there {
			r.err = errors.Join(r.err, err)
			r.meant = c.examineMeaning(ctx, nil, now)
			return r
		}
	}

	// Opening is timed, so that a server that is slow to answer shows.
	began := now()
	v, err := openStore(ctx, c.address(), c.get("encryption_keys"))
	if err != nil {
		r.store, r.err = strings.TrimPrefix(r.store+": "+err.Error(), ": "), err
		r.meant = c.examineMeaning(ctx, nil, now)
		return r
	}
	opening := now().Sub(began)

	// From here on the settings hold that a process would start with.
	start, fixed, unset := settings.New(settings.Config{Store: v.Store, Operator: c.settings, Fixed: c.fixed()}).AtStart(ctx)
	if unset == nil {
		set := c.starting(start)
		if _, err := set.embedder(ctx); err != nil && set.get("embedder") != c.get("embedder") {
			r.degraded = append(r.degraded, [2]string{"embedder", noEmbedder(err)})
			set = c
		}
		c = set
	}

	// Each part adds to the error; none keeps the others from being looked at.
	r.meant = c.examineMeaning(ctx, v.Store, now)
	r.err = errors.Join(r.err,
		r.describe(ctx, v, masked(c.address()), opening, now), r.damaged(ctx, v.Store), r.open(ctx, v, now, zoneOf(c.environ)), r.nobody(ctx, v.Store, c.scope().Client))
	if unset == nil {
		unset = r.look(ctx, c.scope(), settings.Config{Store: v.Store, Operator: start, Fixed: fixed})
	}
	r.batch, err = extraction.Look(ctx, v.Store, "")
	r.err = errors.Join(r.err, unset, err, r.webhooks(ctx, c, v.Store), r.lookOutside(ctx, c, v), v.close())
	return r
}

// webhooks names the addresses that take no messages. One that is not configured any more is no matter.
func (r *storeReport) webhooks(ctx context.Context, c config, s store.Store) error {
	targets, err := webhooksOf(c)
	if err != nil || targets.Empty() {
		return err
	}
	failing, err := hooks.Failing(ctx, s)
	for _, x := range failing {
		r.degraded = append(r.degraded, [2]string{"webhooks", x.String()})
	}
	return err
}

// look looks which settings hold for the scope, as a process has them that started with the Config.
func (r *storeReport) look(ctx context.Context, scope state.Scope, at settings.Config) (err error) {
	if r.set, err = settings.New(at).In(ctx, scope); err != nil {
		return err
	}
	for _, note := range r.set.Notes {
		r.degraded = append(r.degraded, [2]string{"settings", note})
	}
	return nil
}

// folder describes the folder of an embedded store and whether one is there.
func (r *storeReport) folder(name string) (there bool, err error) {
	// The size counts all that lies there, the log and the mark too.
	dir, err := filepath.Abs(name)
	if err != nil {
		return false, state.Errorf(state.Invalid, "dir "+name, "is no path: %w", err)
	}
	size := int64(0)
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})

	// A folder is no store yet when it is not there, or holds a configuration at most.
	const later = ", not there yet; the first turn makes it"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.store = "sqlite in " + dir + later
		return false, nil
	case err != nil:
		r.store = err.Error()
		return false, state.Errorf(state.Unavailable, "dir "+dir, "cannot be read: %w", err)
	}
	r.store = fmt.Sprintf("sqlite in %s, %s", dir, megabytes(size))
	if entries, err := os.ReadDir(dir); err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != "config.yaml" }) {
		r.store += later
		return false, nil
	}
	return true, nil
}

// describe says what an open store is and what it cannot do.
func (r *storeReport) describe(ctx context.Context, v *keeping, address string, opening time.Duration, now func() time.Time) error {
	// A folder is read as a whole; of a server only what it says of itself.
	if folder, ok := v.driver.(*sqlite.Store); ok {
		return r.check(ctx, folder)
	}
	server, ok := v.driver.(*mongo.Store)
	if !ok {
		return nil
	}

	asked := now()
	about, err := server.Server(ctx)
	if err != nil {
		r.store = err.Error()
		return err
	}
	r.store = fmt.Sprintf("MongoDB %s, %s, at %s, database %s; opens in %s, answers in %s",
		cmp.Or(about.Version, "of unknown version"), about.Kind, address, about.Database,
		opening.Round(time.Millisecond/10), now().Sub(asked).Round(time.Millisecond/10))

	// What the server cannot do is told, with what that means for a turn.
	if !v.Features().Atomic {
		r.degraded = append(r.degraded, [2]string{"store", "without transactions: what a turn does to memory is decided with its steps and carried out " +
			"at its end; what a crash leaves owing, the next turn, a sweep or `mneme resume --all` carries out"})
	}
	if about.Kind == "standalone" {
		r.degraded = append(r.degraded, [2]string{"server", "stands alone: what it acknowledged is as safe as its one disk; use a replica set"})
	}
	return nil
}

// check reads the whole folder.
func (r *storeReport) check(ctx context.Context, s *sqlite.Store) error {
	if err := s.Check(ctx); err != nil {
		r.store += ": " + err.Error()
		return err
	}
	r.store += ", checked, undamaged"
	if s.ReadOnly() {
		r.degraded = append(r.degraded, [2]string{"store", "is on a disk that cannot be written: it can be read, and no turn can be taken"})
	}
	return nil
}

// damaged names the first documents that cannot be read, and counts the archive.
func (r *storeReport) damaged(ctx context.Context, s store.Store) error {
	const named = 3
	all, err := memory.Examine(ctx, s)
	if err != nil {
		return err
	}
	r.archive = fmt.Sprintf("%s beyond max_memories_per_user and %s of all users; mneme recall --archived finds them", counted(all.Records, "record"), counted(all.Affairs, "affair"))
	found := all.Damaged
	for _, damage := range found[:min(named, len(found))] {
		r.degraded = append(r.degraded, [2]string{"memory", damage.Error() + "; it is left out, and gives way when it is written anew"})
	}
	if more := len(found) - named; more > 0 {
		r.degraded = append(r.degraded, [2]string{"memory", fmt.Sprintf("%d more documents are damaged and left out", more)})
	}
	return nil
}

// nobody warns of memory of the client or the user that nobody has named, beside that of some who are.
func (r *storeReport) nobody(ctx context.Context, s store.Store, client string) error {
	for _, level := range []struct{ name, prefix string }{{"client", ""}, {"user", client + "/"}} {
		others, anonymous, err := namesUnder(ctx, s, level.prefix)
		if err != nil {
			return err
		}
		if anonymous && len(others) > 0 {
			r.degraded = append(r.degraded, [2]string{level.name, fmt.Sprintf("default has a memory beside %s: what is said without a %s goes there; name one with --%s or MNEME_%s",
				strings.Join(others, ", "), level.name, level.name, strings.ToUpper(level.name))})
		}
	}
	return nil
}

// open counts the turns that are not finished and names the first ones.
func (r *storeReport) open(ctx context.Context, s store.Store, now func() time.Time, zone *time.Location) error {
	const named = 3

	// The log is asked, not the graph: doctor runs no turn.
	log := checkpoint.New(checkpoint.Config{Store: s, Now: now, NewID: uuid.NewString})
	turns, err := log.Unfinished(ctx, state.Thread{})
	if err = errors.Join(err, log.Close()); err != nil {
		r.turns = err.Error()
		return err
	}
	if len(turns) == 0 {
		return nil
	}

	// Each turn is of one kind; the first few are named.
	var waits, runs int
	var names []string
	for _, o := range turns {
		what := "cut off"
		switch {
		case o.Waits:
			what, waits = "waits", waits+1
		case o.Runs:
			what, runs = "runs", runs+1
		}
		if len(names) < named {
			names = append(names, fmt.Sprintf("%s %s since %s", o.Thread.Key(), what, atIn(o.Since, zone)))
		}
	}
	if more := len(turns) - named; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}

	// The line counts the kinds that there are, and then gives the names.
	kinds := amounts(amount{waits, "waiting for an answer (mneme approve)"}, amount{len(turns) - waits - runs, "cut off (mneme resume --all)"}, amount{runs, "running elsewhere"})
	r.turns = fmt.Sprintf("%d unfinished: %s; %s", len(turns), strings.Join(kinds, ", "), strings.Join(names, ", "))
	return nil
}

// lookOutside says where what was erased is kept outside of the store, and whether it is whole and fits the store. It erases nothing.
func (r *storeReport) lookOutside(ctx context.Context, c config, v *keeping) error {
	var look forget.Standing
	err := c.withErasures(ctx, v, func(room *forget.Room) (err error) {
		look, err = room.Outside(ctx)
		return err
	})
	switch {
	case err != nil:
		r.erasures = err.Error()
	case look.Where == "":
		r.degraded = append(r.degraded, [2]string{"erasure ledger", "none: a backup that is put back brings back what was erased since; set MNEME_ERASURE_LEDGER to a file that lies elsewhere"})
	default:
		r.erasures = fmt.Sprintf("%s, %s, %s, the chain is whole", look.Where, counted(look.Lines, "line"), counted(look.Orders, "order"))
		if look.Late > 0 {
			r.erasures += fmt.Sprintf("; %s will be carried out again at the next start", counted(look.Late, "order"))
		}
	}
	return err
}
