package vault

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// Path is the way that Import changes memory by: see state.By.
const Path = "vault"

// Config says whose memory and which folder. Memory and Dir are required.
type Config struct {
	Memory   *memory.Memory
	Dir      string
	Scope    state.Scope           // whose; its session is of no importance
	Agent    string                // only this agent's files; "" = those of all
	Force    bool                  // Export writes over what was edited and not imported
	Progress func(done, total int) // of files, after each; nil = nobody is told
}

// Exported is what Export did.
type Exported struct {
	Agents  int `json:"agents"`
	Files   int `json:"files"`   // of the vault
	Written int `json:"written"` // that are new or were another
	Removed int `json:"removed"` // of what is not in memory any more
}

// Export writes the vault. Files that are as they are to be stay untouched, and so do those that Mneme did not write. Where a file was edited and
// not imported nothing is written, and the error is state.ErrConflict, unless Force says so.
func Export(ctx context.Context, c Config) (done Exported, err error) {
	c.Scope = c.Scope.Default()
	v, err := readMemory(ctx, c.Memory, c.Scope)
	if err != nil {
		return done, err
	}
	dir, err := openFolder(c.Dir, true)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, dir.root.Close()) }()

	// What is to be there, and what is.
	agents := v.agents()
	if c.Agent != "" {
		agents = []string{c.Agent}
	}
	var sheets []sheet
	for _, agent := range agents {
		known, err := v.known(ctx, agent)
		if err != nil {
			return done, err
		}
		sheets = append(append(sheets, known...), v.views(agent)...)
	}
	there, err := c.look(dir, sheets)
	if err != nil {
		return done, err
	}

	// Written, and what is gone from memory is taken away.
	done = Exported{Agents: len(agents), Files: len(sheets)}
	for i, s := range sheets {
		p, err := s.page(ctx)
		if err != nil {
			return done, err
		}
		written, err := dir.write(s.path, p.String())
		if err != nil {
			return done, err
		}
		if written {
			done.Written++
		}
		delete(there, s.path)
		if c.Progress != nil {
			c.Progress(i+1, len(sheets))
		}
	}
	for name := range there {
		if err := dir.remove(name); err != nil {
			return done, err
		}
		done.Removed++
	}
	return done, nil
}

// look lists the files of the vault that are there, and refuses to write over what would be lost.
func (c Config) look(dir folder, sheets []sheet) (there map[string]bool, err error) {
	there = map[string]bool{}
	folders, err := c.folders(dir)
	if err != nil {
		return nil, err
	}
	var edited []string

	// Leftovers of an export that was cut go; every other file of Mneme's is looked at.
	for _, folder := range folders {
		names, torn, err := dir.views(folder)
		if err != nil {
			return nil, err
		}
		for _, name := range torn {
			if err := dir.remove(name); err != nil {
				return nil, err
			}
		}
		for _, name := range append(known(folder), names...) {
			raw, err := dir.read(name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}

			// A file of somebody else's stays; it is an error only where one has to be written.
			if !ours(raw) {
				if slices.ContainsFunc(sheets, func(s sheet) bool { return s.path == name }) {
					return nil, state.Errorf(state.Conflict, "vault "+path.Join(dir.dir, name), "was not written by Mneme; move it away, or name another folder")
				}
				continue
			}

			// A vault is of one user.
			f, wrong := parse(name, raw)
			if client, user := f.head["client"], f.head["user"]; wrong == nil && (client != c.Scope.Client || user != c.Scope.User) {
				return nil, state.Errorf(state.Conflict, "vault "+path.Join(dir.dir, name), "is of user %s of client %s; name another folder", user, client)
			}
			if there[name] = true; wrong != nil || !f.fresh {
				edited = append(edited, path.Join(dir.dir, name))
			}
		}
	}

	// Edits are lost only when that was asked for.
	if len(edited) > 0 && !c.Force {
		const most = 5
		return nil, state.Errorf(state.Conflict, "vault "+c.Dir, "%d files were edited since the export: %s; mneme vault import takes them in, --force writes over them",
			len(edited), strings.Join(edited[:min(most, len(edited))], ", "))
	}
	return there, nil
}

// folders returns the agents' folders that are meant.
func (c Config) folders(dir folder) ([]string, error) {
	folders, err := dir.agents()
	if c.Agent != "" {
		folders = slices.DeleteFunc(folders, func(name string) bool { return name != folderName(c.Agent) })
	}
	return folders, err
}

// known returns the paths of an agent's files that are read back.
func known(folder string) []string {
	var out []string
	for _, name := range []string{brainFile, archiveFile, activeFile} {
		out = append(out, path.Join("agents", folder, "memory", name))
	}
	return out
}

// Diff says what Import would do, and changes nothing.
func Diff(ctx context.Context, c Config) (Report, error) { return compare(ctx, c, false) }

// Import takes in what was edited in the vault: it corrects, forgets and remembers as the lines say, by Memory.Amend and Memory.Write, and
// brings the files of which all was taken in up to date. What cannot be taken in is in the report, and left alone. The error is one that ended
// the work; what was done until then is in the report.
func Import(ctx context.Context, c Config) (Report, error) { return compare(ctx, c, true) }

// compare compares the vault with memory, and carries out what its files ask for.
func compare(ctx context.Context, c Config, carryOut bool) (done Report, err error) {
	c.Scope = c.Scope.Default()

	// The folder and its agents.
	dir, err := openFolder(c.Dir, false)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, dir.root.Close()) }()
	folders, err := c.folders(dir)
	if err == nil && len(folders) == 0 {
		err = state.Errorf(state.NotFound, "vault "+c.Dir, "holds no agents' files; mneme vault export %s writes them", c.Dir)
	}
	if err != nil {
		return done, err
	}

	// What memory has, beside what the files say.
	v, err := readMemory(ctx, c.Memory, c.Scope)
	if err != nil {
		return done, err
	}
	x := &comparison{reading: v, dir: dir, edited: map[string]*file{}}
	for _, folder := range folders {
		if err := x.agent(ctx, folder); err != nil {
			return done, err
		}
	}

	// The report holds what was found, also when something later fails.
	done = Report{Findings: x.findings, Files: x.files}
	if !carryOut {
		return done, nil
	}

	// What the files ask for, then the files that differ from memory since.
	if err := x.carryOut(ctx, c.Progress); err != nil {
		return done, err
	}
	done.Written, err = x.renew(ctx)
	return done, err
}
