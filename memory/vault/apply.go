package vault

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/suggest"
	"github.com/mneme-graph/mneme/state"
)

// carryOut does what the findings ask for: corrections first, then what is forgotten, then what is new, so that a line that was deleted and
// typed anew is not taken for one that memory has changed. What memory does not take becomes a finding of what is wrong.
func (c *comparison) carryOut(ctx context.Context, progress func(done, total int)) error {
	ctx = memory.ContextWithOrigin(ctx, memory.Origin{Scope: c.scope, Path: Path, Who: state.ByUser})
	for _, turn := range [][]What{{Correct, Move, Pin, Unpin}, {Forget}, {Remember}} {
		var asked []int
		for i, f := range c.findings {
			if !f.Done && !f.wrong() && slices.Contains(turn, f.What) {
				asked = append(asked, i)
			}
		}
		n := len(asked)
		ids := make([]string, n) // of the records that are there afterwards
		err := c.m.Many(ctx, n, func(ctx context.Context, i int) (err error) {
			ids[i], err = c.change(ctx, c.findings[asked[i]])
			return err
		}, func(i int, err error) error {
			f := &c.findings[asked[i]]
			if err == nil {
				f.Done, f.Record = true, ids[i]
			}
			if progress != nil {
				progress(i+1, n)
			}
			return f.refused(err)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// refused notes why memory did not take a finding. Any other error is returned, since memory may be out of reach.
func (f *Finding) refused(err error) error {
	var waits *suggest.WaitsError
	switch code := state.CodeOf(err); {
	case err == nil:
	case errors.As(err, &waits):
		f.What, f.Note = Waits, err.Error()
	case code == state.NotFound, code == state.Conflict:
		f.What, f.Note = Conflict, err.Error()
	case code == state.Invalid:
		f.What, f.Note = Damaged, err.Error()
	default:
		return err
	}
	return nil
}

// change carries out one finding, and returns the id of the record that there is afterwards.
func (c *comparison) change(ctx context.Context, f Finding) (string, error) {
	a := memory.Amendment{ID: f.Record}

	// What becomes of the record. A new one is written, and a finding that asks for nothing ends here.
	switch f.What {
	case Remember:
		receipts, err := c.m.Write(ctx, c.scope, newRecord(f.Text, f.part))
		if err != nil {
			return "", err
		}
		return receipts[0].ID, nil
	case Forget:
		a.Action = memory.ForgetRecord
	case Pin:
		a.Action = memory.PinRecord
	case Unpin:
		a.Action = memory.UnpinRecord
	case Correct, Move:
		a.Action, a.Content = memory.CorrectRecord, f.Text
		if !f.digest {
			subject, content := split(f.Text, f.subject)
			a.Subject, a.Content = &subject, content
			if kind := c.records[f.Record].Kind; kind.Part() != f.part {
				a.Kind = kindIn(f.part)
			}
		}
	case Conflict, Damaged, Unread, Waits:
		return f.Record, nil
	}

	// The finding names the record as it is now; a correction has made another one.
	done, err := c.m.Amend(ctx, c.scope, a)
	if err == nil && len(done) > 0 && f.What != Forget {
		return done[0].ID, nil
	}
	return f.Record, err
}

// newRecord returns what a new line of the brain says, as if the user had asked for it to be remembered.
func newRecord(said string, p state.BrainPart) memory.Change {
	c := memory.Told(said)
	if c.Subject == "" {
		c.Subject, c.Content = label(said)
	}
	if p != "" && c.Kind.Part() != p {
		c.Kind = kindIn(p)
	}
	return c
}

// renew brings the files up to date of which all was taken in, and says how many. A brain and its archive go together: what leaves one stands in
// the other.
func (c *comparison) renew(ctx context.Context) (n int, err error) {
	left := map[string]bool{} // folders and files of which something was left alone
	for _, f := range c.findings {
		if f.wrong() {
			left[f.Path] = true
		}
	}
	folders := map[string]string{} // agents, by their folders
	for name, f := range c.edited {
		folders[path.Base(path.Dir(path.Dir(name)))] = f.head["agent"]
	}
	for folder, agent := range folders {
		of := known(folder)
		sheets, err := c.known(ctx, agent)
		if err != nil {
			return n, err
		}
		for i, s := range sheets {
			pair := i < 2
			switch {
			case left[s.path], pair && (left[of[0]] || left[of[1]]):
				continue
			case pair && c.edited[of[0]] == nil && c.edited[of[1]] == nil, !pair && c.edited[s.path] == nil:
				continue
			}
			written, err := c.renewFile(ctx, s)
			if err != nil {
				return n, err
			}
			if written {
				n++
			}
		}
	}
	return n, nil
}

// renewFile writes a file anew, unless somebody has saved it since it was read.
func (c *comparison) renewFile(ctx context.Context, s sheet) (bool, error) {
	now, err := c.dir.read(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if f := c.edited[s.path]; f != nil && f.raw != now {
		return false, nil
	} else if f == nil {
		if f, wrong := parse(s.path, now); wrong != nil || !f.fresh {
			return false, nil
		}
	}
	p, err := s.page(ctx)
	if err != nil {
		return false, err
	}
	return c.dir.write(s.path, p.String())
}
