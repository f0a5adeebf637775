package cassette

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/disk"
)

// What the first line of a tape says.
const (
	format  = "mneme-cassette"
	version = 1
)

type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// tape is a file of calls. What it holds of them does not change but for where each request is.
type tape struct {
	file   string
	redact func(string) string

	mu    sync.Mutex
	calls []*call
	turns map[string][]*call // of each request, in the order of the recordings
}

// openTape reads a tape. One that is to be recorded may be missing.
func openTape(c Config) (*tape, error) {
	keys := secrets()
	t := &tape{file: c.File, turns: map[string][]*call{}}
	t.redact = func(text string) string {
		text = keys.ReplaceAllString(text, "[key]")
		if c.Redact != nil {
			text = c.Redact(text)
		}
		return text
	}

	f, err := disk.Open(c.File)
	switch {
	case errors.Is(err, state.ErrNotFound) && c.Model != nil:
		return t, nil
	case errors.Is(err, state.ErrNotFound):
		return nil, state.Errorf(state.NotFound, "cassette "+c.File, "is not there; record it first")
	case err != nil:
		return nil, fmt.Errorf("cassette %w", err)
	}
	info, err := f.Stat()
	if err == nil && info.Size() > maxTape {
		err = state.Errorf(state.Invalid, "cassette "+c.File, "has %d bytes, at most %d are read; record it in parts", info.Size(), maxTape)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	whole, err := t.read(io.LimitReader(f, maxTape))
	err = errors.Join(err, f.Close())
	if err == nil && c.Model != nil && whole < info.Size() {
		err = os.Truncate(c.File, whole) // half a line, which a kill left
	}
	return t, err
}

// What is read of a tape at most: all of it, and a line. A line holds what one call was sent and answered.
const (
	maxTape = 256 << 20
	maxLine = 64 << 20
)

// begin puts a file with the header there, whole, unless somebody else just has.
func (t *tape) begin() (err error) {
	line, err := json.Marshal(header{format, version})
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(t.file), ".cassette-*") // mode 0600: it holds what users say
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Link(f.Name(), t.file); errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// read takes in a tape and returns how many bytes of it are whole lines. Half a line at its end is passed over.
func (t *tape) read(r io.Reader) (whole int64, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	lines.Split(wholeLines)
	n := 1
	for ; lines.Scan(); n++ {
		if err := t.take(n, lines.Bytes()); err != nil {
			return whole, err
		}
		whole += int64(len(lines.Bytes()))
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return whole, state.Errorf(state.Invalid, "cassette "+t.file, "line %d has more than %d bytes; record it anew", n, maxLine)
	case err != nil:
		return whole, state.Errorf(state.Invalid, "cassette "+t.file, "%w", err)
	case n == 1:
		return 0, state.Errorf(state.Invalid, "cassette "+t.file, "is no tape: it has no first line")
	}
	return whole, nil
}

// wholeLines splits a text into lines with their ends, without half a line at the end.
func wholeLines(data []byte, _ bool) (int, []byte, error) {
	end := bytes.IndexByte(data, '\n') + 1
	if end == 0 {
		return 0, nil, nil
	}
	return end, data[:end], nil
}

// take takes in one line.
func (t *tape) take(n int, line []byte) error {
	if n == 1 {
		var h header
		if err := json.Unmarshal(line, &h); err != nil || h.Format != format {
			return state.Errorf(state.Invalid, "cassette "+t.file, "is no tape: its first line is not {%q:%q,...}", "format", format)
		}
		if h.Version != version {
			return state.Errorf(state.Invalid, "cassette "+t.file, "has version %d, and %d is read; record it anew", h.Version, version)
		}
		return nil
	}
	var c call
	if err := json.Unmarshal(line, &c); err != nil {
		return state.Errorf(state.Invalid, "cassette "+t.file, "line %d is no call: %w", n, err)
	}
	if _, err := parse(c.Answer); err != nil || len(c.Answer) == 0 && c.Error == nil {
		return state.Errorf(state.Invalid, "cassette "+t.file, "line %d has no answer that can be read", n)
	}
	for i, m := range c.Request.Messages { // a hand may have spelled them otherwise
		spelled, err := t.spell(m)
		if err != nil {
			return state.Errorf(state.Invalid, "cassette "+t.file, "line %d: %w", n, err)
		}
		c.Request.Messages[i] = spelled
	}
	c.Request.number()
	t.calls = append(t.calls, &c)
	t.turns[c.Request.key()] = append(t.turns[c.Request.key()], &c)
	return nil
}

// find returns the next recording of a request, or says what differs from the nearest.
func (t *tape) find(ctx context.Context, asked request) (*call, error) {
	if err := ctx.Err(); err != nil {
		return nil, state.Errorf(state.Unavailable, "cassette "+t.file, "%w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if found := asked.pick(t.turns[asked.key()]); found != nil {
		found.played = true
		return found, nil
	}
	if len(t.calls) == 0 {
		return nil, state.Errorf(state.Invalid, "cassette "+t.file, "holds no call; record it")
	}
	nearest, most := 0, -1
	for i, c := range t.calls {
		n := 2 * asked.shared(c.Request)
		if len(c.Request.spelled) == len(asked.spelled) {
			n++
		}
		if n > most {
			nearest, most = i, n
		}
	}
	return nil, state.Errorf(state.Invalid, "cassette "+t.file, "does not hold this request; the nearest is call %d, but %s; record it again",
		nearest+1, asked.differs(t.calls[nearest].Request))
}

// write puts a call at the end of the file, in one piece.
func (t *tape) write(asked request, answer []*schema.Message, failed error) error {
	c := call{Request: asked}
	for _, m := range answer {
		raw, err := t.spell(m)
		if err != nil {
			return state.Errorf(state.Invalid, "cassette "+t.file, "the answer cannot be written down: %w", err)
		}
		c.Answer = append(c.Answer, raw)
	}
	if failed != nil {
		c.Error = &failure{Code: state.CodeOf(failed), Text: t.redact(failed.Error()), RetryAfter: state.RetryAfter(failed)}
	}
	if failed == nil && len(answer) == 0 {
		return nil // a stream that said nothing
	}
	line, err := json.Marshal(c)
	if err != nil {
		return state.Errorf(state.Internal, "cassette "+t.file, "%w", err)
	}
	return t.add(append(line, '\n'))
}

// add puts a line at the end of the file, which it makes if need be. What could not be read back is refused.
func (t *tape) add(line []byte) (err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, err := os.OpenFile(t.file, os.O_WRONLY|os.O_APPEND, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = t.begin(); err == nil {
			f, err = os.OpenFile(t.file, os.O_WRONLY|os.O_APPEND, 0o600)
		}
	}
	if err != nil {
		return state.Errorf(state.Unavailable, "cassette "+t.file, "cannot be written: %w", err)
	}

	info, err := f.Stat()
	switch {
	case err != nil:
	case len(line) > maxLine || info.Size()+int64(len(line)) > maxTape:
		return errors.Join(state.Errorf(state.Invalid, "cassette "+t.file, "is full: at most %d bytes, and %d in a call; record into another file", maxTape, maxLine), f.Close())
	default:
		_, err = f.Write(line)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return state.Errorf(state.Unavailable, "cassette "+t.file, "cannot be written: %w", err)
	}
	return nil
}

// secrets finds keys by how providers spell them, bearer tokens and private keys.
func secrets() *regexp.Regexp {
	return regexp.MustCompile(`(?i:bearer)\s+[A-Za-z0-9._~+/-]{8,}=*` +
		`|\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{12,}|\bAIza[A-Za-z0-9_-]{20,}|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b` +
		`|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}` +
		`|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+` +
		`|-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`)
}

// Contacts takes e-mail addresses and telephone numbers out of a text, for Config.Redact. A number is taken for one that has a
// plus before it, or nine digits and more in groups.
func Contacts(text string) string {
	text = regexp.MustCompile(`[\p{L}0-9._%+-]+@[\p{L}0-9-]+(?:\.[\p{L}0-9-]+)+`).ReplaceAllString(text, "[e-mail]")
	return regexp.MustCompile(`\+\d(?:[ ()./-]?\d){7,14}|\b\d{3}(?:[ ./-]\d{3}){2}\b`).ReplaceAllString(text, "[phone]")
}
