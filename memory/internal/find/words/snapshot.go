package words

import (
	"bytes"
	"encoding/gob"
	"io"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// format changes with what is learnt from a document: snapshots of before are not read then. Whoever changes how texts are read
// changes text.Version.
const format = 2

// snapshot is an index as it is kept: what was learnt from each document, in order of arrival. Posting lists and statistics are
// not in it: reading makes them anew, as Put would.
type snapshot struct {
	Format, Analyzer int
	Strings          []string // words, and names that documents share; everything else has their numbers
	Docs             []snapshotDoc
}

// snapshotDoc is one document of a snapshot.
type snapshotDoc struct {
	ID      string
	Names   []uint32 // as namesOf lists them
	At      time.Time
	Order   int64
	Weight  float64
	Lengths [7]uint32 // as lengthsOf lists them
	Flags   [4]bool   // as flagsOf lists them
	Terms   []uint32
	Counts  []byte   // four for each term
	Spans   []uint32 // of Seq, two for each passage
	Seq     []uint32
}

// WriteTo writes a snapshot of the index as it is now. It is encoded in RAM first, so that a slow writer holds up
// neither Put nor Search.
func (x *Index) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	x.mu.RLock()
	err := gob.NewEncoder(&b).Encode(takeSnapshot(x.t))
	x.mu.RUnlock()
	if err != nil {
		return 0, err
	}
	return b.WriteTo(w)
}

// takeSnapshot gathers what is known of the living documents.
func takeSnapshot(t *tables) snapshot {
	s := snapshot{Format: format, Analyzer: text.Version}
	numbers := map[string]uint32{}
	number := func(word string) uint32 {
		n, ok := numbers[word]
		if !ok {
			n = uint32(len(s.Strings))
			numbers[word] = n
			s.Strings = append(s.Strings, word)
		}
		return n
	}
	for slot := range t.entries {
		if e := &t.entries[slot]; t.cells[slot].live {
			s.Docs = append(s.Docs, packDoc(&e.doc, t.analysis(e), number))
		}
	}
	return s
}

func packDoc(d *Doc, a analysis, number func(string) uint32) snapshotDoc {
	out := snapshotDoc{ID: d.ID, At: d.At, Order: d.Order, Weight: d.Weight}
	role := string(d.Role)
	for _, name := range namesOf(d, &role) {
		out.Names = append(out.Names, number(*name))
	}
	for _, c := range a.terms {
		out.Terms = append(out.Terms, number(c.word))
		out.Counts = append(out.Counts, c.text, c.lead, c.who, c.when)
	}
	for _, p := range a.passages {
		out.Spans = append(out.Spans, p.from, p.to)
	}
	for _, word := range a.seq {
		out.Seq = append(out.Seq, number(word))
	}
	t := &a.traits
	out.Lengths = [7]uint32{t.textLen, t.leadLen, uint32(t.whoLen), uint32(t.whenLen), uint32(t.questions), uint32(t.sentences), uint32(t.distinct)}
	out.Flags = [4]bool{t.number, t.timed, t.instruction, t.preference}
	return out
}

// namesOf lists the strings that a document shares with others; role stands for its role.
func namesOf(d *Doc, role *string) []*string {
	return []*string{&d.Speaker, role, &d.Group, &d.Affair, &d.Project, &d.Agent, &d.Kind}
}

// Read makes an index of a snapshot. It answers bit for bit as the one that was written. What is damaged, so far as its parts do not fit
// together, is state.ErrInternal, what another format or another analyzer of texts has written is state.ErrInvalid: either way the index
// is to be built anew from the documents.
func Read(r io.Reader) (*Index, error) {
	const op, anew = "word snapshot", "build the index anew"
	var s snapshot
	if err := gob.NewDecoder(r).Decode(&s); err != nil {
		return nil, state.Errorf(state.Internal, op, "is damaged (%w); %s", err, anew)
	}
	if s.Format != format || s.Analyzer != text.Version {
		return nil, state.Errorf(state.Invalid, op, "has format %d and analyzer %d, here they are %d and %d; %s", s.Format, s.Analyzer, format, text.Version, anew)
	}
	x := New()
	for i := range s.Docs {
		d, a, fits := s.unpackDoc(&s.Docs[i])
		if _, twice := x.t.slots[d.ID]; twice || !fits {
			return nil, state.Errorf(state.Internal, op, "is damaged (its parts do not fit together); %s", anew)
		}
		x.t.insert(d, a)
	}
	return x, nil
}

// unpackDoc returns a document and what was learnt from it; fits is false if that cannot be.
func (s *snapshot) unpackDoc(k *snapshotDoc) (d Doc, a analysis, fits bool) {
	// The lengths of its lists have to fit together, and every number has to be one of a string.
	d = Doc{ID: k.ID, At: k.At, Order: k.Order, Weight: k.Weight}
	role := ""
	names := namesOf(&d, &role)
	if fits = len(k.Names) == len(names) && len(k.Counts) == 4*len(k.Terms) && len(k.Spans)%2 == 0; !fits {
		return d, a, false
	}
	word := func(n uint32) string {
		if fits = fits && int(n) < len(s.Strings); !fits {
			return ""
		}
		return s.Strings[n]
	}

	// Its names, its terms with their counts, its passages.
	for i, name := range names {
		*name = word(k.Names[i])
	}
	d.Role = state.Role(role)
	a.terms = make([]counted, len(k.Terms))
	for i, n := range k.Terms {
		c := k.Counts[4*i:]
		a.terms[i] = counted{word(n), counts{c[0], c[1], c[2], c[3]}}
	}
	for i := 0; i < len(k.Spans); i += 2 {
		p := span{k.Spans[i], k.Spans[i+1]}
		a.passages, fits = append(a.passages, p), fits && p.from <= p.to && int(p.to) <= len(k.Seq)
	}
	for _, n := range k.Seq {
		a.seq = append(a.seq, word(n))
	}

	// What was learnt of it as a whole.
	l, f := k.Lengths, k.Flags
	a.traits = traits{
		textLen: l[0], leadLen: l[1], whoLen: uint8(l[2]), whenLen: uint8(l[3]), questions: uint16(l[4]), sentences: uint16(l[5]), distinct: uint16(l[6]),
		number: f[0], timed: f[1], instruction: f[2], preference: f[3],
	}
	return d, a, fits
}
