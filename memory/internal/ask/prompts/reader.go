package prompts

import (
	"encoding/json"
	"strings"
)

const (
	maxDepth = 64  // of nesting; deeper is no answer
	ahead    = 256 // bytes looked ahead where a guess is needed; keeps reading linear
	maxKey   = 128 // bytes of an unquoted key
)

// find returns the object or array in text that fits want best, as valid JSON.
func find(text string, want shape) ([]byte, bool) {
	r := &reader{src: text, want: want}
	if from, to := strings.IndexByte(text, want.open), strings.LastIndexByte(text, want.open+2); from >= 0 && to > from {
		r.exact = json.Valid([]byte(text[from : to+1])) // '}' and ']' stand two after '{' and '['
	}
	for {
		next := strings.IndexByte(r.src[r.at:], want.open)
		if next < 0 {
			return r.out[r.best.from:r.best.to], r.best.to > 0
		}
		r.at += next
		r.value(0, false)
	}
}

// reader turns what looks like JSON into JSON. It only goes forward in src and only appends to out, except that a member
// without a value is taken back.
type reader struct {
	src   string
	at    int
	want  shape
	exact bool // the text is valid JSON: every quote means what it says
	out   []byte
	best  span
}

// span is one finished object or array in out.
type span struct {
	from, to int
	known    int  // keys of the shape looked for
	whole    bool // its end was there
}

// outcome says how reading a value went.
type outcome int

const (
	done outcome = iota
	cut          // the text ended in it; what is there has been written
	none         // nothing worth writing
	bad          // this is no JSON at all; look for another beginning
)

// value reads one value that begins at r.at. Depth counts the objects and arrays around it; member says that it is
// the value of a key, which decides what may follow a string.
func (r *reader) value(depth int, member bool) outcome {
	c := r.src[r.at]
	switch {
	case depth > maxDepth:
		return bad
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	}
	if closers, size := quotes(r.src[r.at:]); size > 0 {
		s, closed := r.text(closers, size, member)
		r.out = append(r.out, quote(s)...)
		if !closed {
			return cut
		}
		return done
	}
	return r.bare(member)
}

func (r *reader) object(depth int) outcome {
	s := span{from: len(r.out)}
	r.out = append(r.out, '{')
	r.at++
	for members := 0; ; {
		r.space(true)
		switch {
		case r.at >= len(r.src):
			return r.end(s, '}')
		case r.src[r.at] == '}':
			r.at++
			s.whole = true
			return r.end(s, '}')
		case r.src[r.at] == ']' && depth > 0:
			return r.end(s, '}') // it closes an array around this object
		}
		before := len(r.out)
		key, ok := r.key()
		switch {
		case !ok && members == 0 && depth == 0:
			return bad // a brace in prose
		case !ok:
			r.junk()
			continue
		case members > 0:
			r.out = append(r.out, ',')
		}
		r.out = append(append(r.out, quote(key)...), ':')
		switch r.memberValue(depth) {
		case bad:
			return bad
		case none:
			r.out = r.out[:before]
			continue
		}
		members++
		if _, ok := r.want.names[squash(key)]; ok {
			s.known++
		}
	}
}

// memberValue reads what stands after the colon; a member without a value has null.
func (r *reader) memberValue(depth int) outcome {
	r.space(false)
	switch {
	case r.at >= len(r.src):
		return none
	case strings.IndexByte(",}]", r.src[r.at]) >= 0:
		r.out = append(r.out, "null"...)
		return done
	}
	return r.value(depth+1, true)
}

func (r *reader) array(depth int) outcome {
	s := span{from: len(r.out)}
	r.out = append(r.out, '[')
	r.at++
	for items := 0; ; {
		r.space(true)
		switch {
		case r.at >= len(r.src):
			return r.end(s, ']')
		case r.src[r.at] == ']':
			r.at++
			s.whole = true
			return r.end(s, ']')
		case r.src[r.at] == '}' && depth > 0:
			return r.end(s, ']') // it closes an object around this array
		case r.src[r.at] == '}' || r.src[r.at] == ':':
			r.at++
			continue
		}
		before := len(r.out)
		if items > 0 {
			r.out = append(r.out, ',')
		}
		switch r.value(depth+1, false) {
		case bad:
			return bad
		case none:
			r.out = r.out[:before]
		default:
			items++
		}
	}
}

// end closes the span and keeps it if it fits better than the best so far: it has more known keys, else it contains
// the other, else it is complete, else it is later.
func (r *reader) end(s span, closer byte) outcome {
	r.out = append(r.out, closer)
	s.to = len(r.out)
	fits := closer == r.want.open+2 && (r.want.names == nil || s.known > 0)
	better := s.known > r.best.known || s.known == r.best.known && (s.from < r.best.from || s.whole || !r.best.whole)
	if fits && (r.best.to == 0 || better) {
		r.best = s
	}
	if !s.whole && r.at >= len(r.src) {
		return cut
	}
	return done
}

// space skips white space, comments and, between members, commas.
func (r *reader) space(commas bool) {
	for r.at < len(r.src) {
		rest := r.src[r.at:]
		switch c := rest[0]; {
		case isSpace(c) || commas && (c == ',' || c == ';'):
			r.at++
		case strings.HasPrefix(rest, "//") || c == '#':
			r.at += lineEnd(rest)
		case strings.HasPrefix(rest, "/*"):
			if end := strings.Index(rest, "*/"); end >= 0 {
				r.at += end + 2
			} else {
				r.at = len(r.src)
			}
		case strings.HasPrefix(rest, "\u00a0"), strings.HasPrefix(rest, "\ufeff"):
			r.at += len("\u00a0")
			if rest[0] == 0xef {
				r.at++
			}
		default:
			return
		}
	}
}

// junk steps over what is neither key nor end of an object.
func (r *reader) junk() {
	r.at++
	if next := strings.IndexAny(r.src[r.at:], ",}]\n\""); next >= 0 {
		r.at += next
	} else {
		r.at = len(r.src)
	}
}

// key reads a quoted or unquoted key and its colon; if there is none, nothing has been consumed.
func (r *reader) key() (string, bool) {
	rest := r.src[r.at:]
	if closers, size := quotes(rest); size > 0 {
		return r.quotedKey(closers, size)
	}
	end := strings.IndexAny(rest[:min(len(rest), maxKey)], ":{}[],\"\n")
	if end <= 0 || rest[end] != ':' {
		return "", false
	}
	r.at += end + 1
	return strings.TrimRight(rest[:end], " \t"), true
}

func (r *reader) quotedKey(closers []string, size int) (string, bool) {
	from := r.at
	for at := from + size; at < len(r.src) && (r.exact || at < from+ahead); at++ {
		if r.src[at] == '\\' {
			at++
			continue
		}
		n := hasAny(r.src[at:], closers)
		if n == 0 {
			continue
		}
		if colon := at + n + spaces(r.src[at+n:]); colon < len(r.src) && r.src[colon] == ':' {
			r.at = colon + 1
			return unescaped(r.src[from+size : at]), true
		}
	}
	return "", false
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// spaces counts the white space that s begins with.
func spaces(s string) int {
	n := 0
	for n < len(s) && isSpace(s[n]) {
		n++
	}
	return n
}

// lineEnd returns the length of the first line of s without its end.
func lineEnd(s string) int {
	if n := strings.IndexByte(s, '\n'); n >= 0 {
		return n
	}
	return len(s)
}
