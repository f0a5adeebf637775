package vault

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/state"
)

// comparison is a vault beside the memory it was made of.
type comparison struct {
	*reading
	dir      folder
	findings []Finding
	files    int
	edited   map[string]*file // what was edited of what is read back, by its path
}

// pair are the two files of an agent's brain.
type pair struct {
	agent string
	files map[string]*file  // by name; nil = it is not there, or damaged
	raw   map[string]string // by name
	lines map[string][]line // by name
	at    map[string]string // the file in which an id was exported
	seen  map[string][]line // where an id stands now
}

// say notes what is wrong with a line.
func (c *comparison) say(w What, name string, m mistake) {
	c.findings = append(c.findings, Finding{Path: name, Line: m.line, What: w, Note: m.note})
}

// agent compares the folder of an agent.
func (c *comparison) agent(ctx context.Context, folder string) error {
	p, err := c.readPair(folder)
	if err != nil {
		return err
	}
	for _, name := range []string{brainFile, archiveFile} {
		c.compare(p, name)
	}
	if err := c.active(ctx, folder); err != nil {
		return err
	}
	return c.views(ctx, folder)
}

// open reads the frame of a file that is read back. It is nil when there is none or it is damaged.
func (c *comparison) open(folder, name, kind string) (f *file, raw string, err error) {
	// A file that is not there asks for nothing; one that cannot be read safely is said to be damaged.
	at := path.Join("agents", folder, "memory", name)
	raw, err = c.dir.read(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", nil
	case state.CodeOf(err) == state.Invalid:
		c.say(Damaged, at, mistake{1, err.Error()})
		return nil, "", nil
	case err != nil:
		return nil, "", err
	}
	c.files++

	// The frame: whose file it is, and of which kind. It has to stand in its own agent's folder.
	parsed, wrong := parse(at, raw)
	if wrong == nil {
		agent := parsed.head["agent"]
		if folderName(agent) != folder {
			wrong = &mistake{2, "is of agent " + value(agent) + ", whose folder is agents/" + folderName(agent) + "; put it there"}
		} else {
			wrong = parsed.of(page{kind: kind, head: c.head(agent)})
		}
	}
	if wrong != nil {
		c.say(Damaged, at, *wrong)
		return nil, raw, nil
	}

	// What was read of an edited file is kept: it is written anew only if nobody has saved it since.
	if !parsed.fresh {
		c.edited[at] = &parsed
	}
	return &parsed, raw, nil
}

// readPair reads the brain and its archive.
func (c *comparison) readPair(folder string) (*pair, error) {
	// Both files are read before either is checked: a line may have been moved from one to the other.
	p := &pair{
		files: map[string]*file{}, raw: map[string]string{}, lines: map[string][]line{}, at: map[string]string{}, seen: map[string][]line{},
	}
	for _, name := range []string{brainFile, archiveFile} {
		f, raw, err := c.open(folder, name, strings.TrimSuffix(name, ".md"))
		if err != nil {
			return p, err
		}
		p.raw[name] = raw
		if f == nil {
			continue
		}
		p.agent = f.head["agent"]
		lines, unread := f.brainLines(titleOf(f.head["mneme"], p.agent))
		for _, m := range unread {
			c.say(Unread, f.path, m)
		}
		if last := len(lines) - 1; f.foot == 0 && last >= 0 && lines[last].id == "" && !strings.HasSuffix(raw, "\n") {
			c.say(Damaged, f.path, mistake{lines[last].n, "the file ends in the middle of this line: it was cut; export --force writes it anew"})
			lines = lines[:last]
		}
		p.files[name], p.lines[name] = f, lines
		for id := range f.base {
			p.at[id] = name
		}
	}

	// A line whose id stands twice, or is of neither, is left alone.
	for _, name := range []string{brainFile, archiveFile} {
		p.lines[name] = slices.DeleteFunc(p.lines[name], func(l line) bool {
			note := c.check(p, name, l)
			if note != "" {
				c.say(Damaged, l.path, mistake{l.n, note})
			}
			return note != ""
		})
	}
	return p, nil
}

// check says what is wrong with the id of a line. In a file that has lost its end every record of memory may stand.
func (c *comparison) check(p *pair, name string, l line) string {
	if l.id == "" {
		return ""
	}
	if p.at[l.id] == "" && p.files[name].foot == 0 && c.lines[l.id] != "" {
		p.at[l.id] = name
	}
	switch at := p.seen[l.id]; {
	case p.at[l.id] == "":
		return "^" + l.id + " is of no line that was exported here; take it away to have the line remembered"
	case len(at) > 0:
		return "^" + l.id + " stands in " + path.Base(at[0].path) + ":" + strconv.Itoa(at[0].n) + " too; take it away in the line that is new"
	}
	p.seen[l.id] = append(p.seen[l.id], l)
	return ""
}

// compare compares one file of the brain, line by line.
func (c *comparison) compare(p *pair, name string) {
	f := p.files[name]
	if f == nil {
		return
	}
	for _, l := range p.lines[name] {
		if l.id == "" {
			c.newLine(l)
			continue
		}
		was := p.files[p.at[l.id]]
		if was == nil { // moved out of a file that is damaged: it was exported there
			c.say(Unread, f.path, mistake{l.n, "was moved from " + p.at[l.id] + ", which is damaged; mend that first"})
			continue
		}
		r := c.records[c.lines[l.id]]
		if l.part == "" {
			l.part = r.Kind.Part()
		}
		base := was.base[l.id]
		if was.foot == 0 { // a record never says anything else: what is new is another one
			base = sumOf(r.Kind.Part(), mind.RecordText(r))
		}
		c.knownLine(l, base, p.at[l.id] != name, name == brainFile)
	}
	for _, id := range f.baseIDs() {
		gone := len(p.seen[id]) == 0 && !slices.ContainsFunc([]string{brainFile, archiveFile}, func(other string) bool {
			return p.files[other] == nil && strings.Contains(p.raw[other], "^"+id)
		})
		if gone {
			c.goneLine(f.path, id, f.base[id])
		}
	}
}

// knownLine compares a line with the record that it was exported of.
func (c *comparison) knownLine(l line, base string, moved, toBrain bool) {
	r, there := c.records[c.lines[l.id]]
	same := there && r.ValidTo == nil && sumOf(r.Kind.Part(), mind.RecordText(r)) == base
	text := c.m.Mask(l.text)
	found := Finding{Path: l.path, Line: l.n, Text: text, Record: r.ID, Was: mind.RecordText(r), part: l.part, subject: r.Subject}
	switch edited := l.sum() != base; {
	case same && edited && text == "":
		found.What = Forget
	case same && edited && text != found.Was:
		found.What = Correct
	case same && edited:
		found.What = Move
	case same && moved && toBrain && !r.Pinned:
		found.What = Pin
	case same && moved && !toBrain && r.Pinned:
		found.What = Unpin
	case same || !edited: // what changed in memory since is memory's
		return
	default:
		today, holds := c.today(r)
		if !there || !holds {
			found.What, found.Note = Conflict, "it is forgotten in memory since the export, and was edited here; "+wayOut
		} else if mind.RecordText(today) == text && today.Kind.Part() == l.part {
			return // taken in before
		} else {
			found.What, found.Note = Conflict, "memory says "+value(mind.RecordText(today))+" since the export, and the line was edited; "+wayOut
		}
	}
	c.findings = append(c.findings, found)
}

// wayOut is what to do about a conflict.
const wayOut = "export --force writes what memory has, then edit it again"

// newLine looks whether a line without an id is known.
func (c *comparison) newLine(l line) {
	text := c.m.Mask(l.text)
	for _, r := range c.records {
		if r.ValidTo == nil && r.Span == nil && r.About == state.AboutUser && (mind.RecordText(r) == text || r.Content == text) {
			return
		}
	}
	c.findings = append(c.findings, Finding{Path: l.path, Line: l.n, What: Remember, Text: text, part: l.part})
}

// goneLine is a line that was exported and is gone.
func (c *comparison) goneLine(name, id, base string) {
	r, there := c.records[c.lines[id]]
	if !there {
		return
	}
	found := Finding{Path: name, What: Forget, Record: r.ID, Was: mind.RecordText(r), part: r.Kind.Part()}
	if r.ValidTo != nil || sumOf(found.part, found.Was) != base {
		today, holds := c.today(r)
		if !holds {
			return
		}
		found.What, found.Note = Conflict, "memory says "+value(mind.RecordText(today))+" since the export, and the line was deleted; "+wayOut
	}
	c.findings = append(c.findings, found)
}

// active compares the active context of an agent.
func (c *comparison) active(ctx context.Context, folder string) error {
	// A file as it was exported asks for nothing.
	f, _, err := c.open(folder, activeFile, strings.TrimSuffix(activeFile, ".md"))
	if f == nil || err != nil || f.fresh {
		return err
	}

	// What it says, what memory says today, and what it said at the export.
	scope := c.scope
	scope.Agent = f.head["agent"]
	text := c.m.Mask(f.digest(titleOf("active_context", scope.Agent)))
	b, err := c.m.Brain(ctx, scope)
	if err != nil {
		return err
	}
	now, was := lines(b.Last.Text), sumOf("", "")
	for _, base := range f.base {
		was = base
	}
	if text == now || sumOf("", text) == was {
		return nil
	}

	// What the difference asks for. An edit of both sides is a conflict.
	found := Finding{Path: f.path, Line: f.firstText(), What: Correct, Text: text, Was: now, Record: b.Last.ID, digest: true}
	switch {
	case b.Last.ID == "":
		found.What, found.Note = Unread, "is not read back: no session is over yet that it could be of; take it out"
	case f.foot > 0 && f.base[lineID(b.Last.ID)] != sumOf("", now):
		found.What, found.Note = Conflict, "memory says "+value(now)+" since the export, and it was edited; "+wayOut
	case text == "":
		found.What = Forget
	}
	c.findings = append(c.findings, found)
	return nil
}

// views finds the files that are not read back and were edited.
func (c *comparison) views(ctx context.Context, folder string) error {
	// The files in their order; what Mneme did not write is not looked at.
	names, _, err := c.dir.views(folder)
	if err != nil {
		return err
	}
	var sheets map[string]sheet
	for _, name := range names {
		raw, err := c.dir.read(name)
		if state.CodeOf(err) == state.Invalid {
			c.say(Damaged, name, mistake{1, err.Error()})
			continue
		}
		if err != nil {
			return err
		}
		if !ours(raw) {
			continue
		}
		c.files++
		f, wrong := parse(name, raw)

		// One that was damaged or edited is told of.
		switch {
		case wrong != nil:
			c.say(Damaged, name, *wrong)
			continue
		case f.fresh:
			continue
		}

		// What a file should say is made only when one was edited: it takes all of the agent's memory.
		if sheets == nil {
			sheets = map[string]sheet{}
			for _, s := range c.reading.views(f.head["agent"]) {
				sheets[s.path] = s
			}
		}
		n, err := c.firstEdit(ctx, sheets[name], f)
		if err != nil {
			return err
		}
		c.say(Unread, name, mistake{n, "is not read back, nor is anything else in this file; export --force writes it anew"})
	}
	return nil
}

// firstEdit returns the first line in which a view differs from what memory has.
func (c *comparison) firstEdit(ctx context.Context, s sheet, f file) (int, error) {
	if s.page == nil {
		return f.body, nil
	}
	p, err := s.page(ctx)
	if err != nil {
		return 0, err
	}
	want := strings.Split(p.String(), "\n")
	for i, line := range f.lines {
		if i >= len(want) || line != want[i] {
			return i + 1, nil
		}
	}
	return len(f.lines), nil
}
