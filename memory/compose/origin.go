package compose

import (
	"strconv"
	"strings"
)

// Origin says where the text of a line is kept: in which document of the user, and in which part of it, "" = all of it. No id holds
// a "/", so its written form is read back without a doubt:
//
//	message SESSION/SEQ          a message of a session; message SESSION/SEQ/1 its block 1
//	record ID                    a record
//	affair ID/facts:LABEL        a key fact of an affair; /title, /status, /summary and /pending likewise
//	session ID/summary           the summary of a session; /preferences:LABEL likewise
type Origin struct {
	Kind string // one of those below
	ID   string // of the document; of a message its session
	Seq  int64  // of a message
	Part string
}

// The kinds of documents that lines are from.
const (
	OfMessage = "message"
	OfRecord  = "record"
	OfAffair  = "affair"
	OfSession = "session"
)

// String writes the origin as a Line has it; "" when it has no id.
func (o Origin) String() string {
	if o.ID == "" {
		return ""
	}
	return o.write()
}

func (o Origin) write() string {
	var room [usualOrigin]byte
	return string(o.appendTo(room[:0]))
}

// usualOrigin is how many bytes most origins have at most: they are written on the stack.
const usualOrigin = 128

func (o Origin) appendTo(out []byte) []byte {
	out = append(append(append(out, o.Kind...), ' '), o.ID...)
	if o.Kind == OfMessage {
		out = strconv.AppendInt(append(out, '/'), o.Seq, 10)
	}
	if o.Part != "" {
		out = append(append(out, '/'), o.Part...)
	}
	return out
}

// ParseOrigin reads what String wrote, and reports whether s is that.
func ParseOrigin(s string) (Origin, bool) {
	kind, id, _ := strings.Cut(s, " ")
	o := Origin{Kind: kind}
	o.ID, o.Part, _ = strings.Cut(id, "/")
	if kind == OfMessage {
		seq, part, _ := strings.Cut(o.Part, "/")
		o.Seq, _ = strconv.ParseInt(seq, 10, 64)
		o.Part = part
	}
	var room [usualOrigin]byte
	return o, o.ID != "" && string(o.appendTo(room[:0])) == s
}
