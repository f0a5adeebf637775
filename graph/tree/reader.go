package tree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/mneme-graph/mneme/state"
)

// maxNodes bounds how many nodes a document may unfold to, so that aliases of aliases end in an error.
const maxNodes = 200_000

// Reader reads the syntax tree of one document. The first error sticks in Err; later reads return zero values, so that
// callers need not check each one.
type Reader struct {
	File string                  // its name in errors
	Hint func(key string) string // how a key is written, behind an error about its form; nil = nothing is said
	Err  error                   // the first one, state.ErrInvalid with file, line and column

	anchors map[string]ast.Node
	read    int
}

// Fields says what to do with the value of each key an object may have.
type Fields map[string]func(ast.Node)

// Fail keeps the first error, with file, line and column.
func (r *Reader) Fail(n ast.Node, format string, args ...any) {
	if r.Err == nil {
		r.Err = state.Errorf(state.Invalid, fmt.Sprintf("%s:%d:%d", r.File, Line(n), column(n)), format, args...)
	}
}

// Line returns where n stands, 1 when the tree does not say.
func Line(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 1
	}
	return n.GetToken().Position.Line
}

// column returns where in its line n stands, 1 when the tree does not say.
func column(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 1
	}
	return n.GetToken().Position.Column
}

func (r *Reader) hint(what string) string {
	if r.Hint == nil {
		return ""
	}
	return r.Hint(what)
}

// anchor keeps what aliases further down stand for.
func (r *Reader) anchor(n *ast.AnchorNode) {
	if r.anchors == nil {
		r.anchors = map[string]ast.Node{}
	}
	r.anchors[n.Name.GetToken().Value] = n.Value
}

// Plain unfolds tags, anchors and aliases. It returns nil after an error.
func (r *Reader) Plain(n ast.Node) ast.Node {
	for r.Err == nil {
		if r.read++; r.read > maxNodes {
			r.Fail(n, "the document unfolds to more than %d values; use fewer aliases", maxNodes)
			break
		}
		switch x := n.(type) {
		case *ast.AnchorNode:
			r.anchor(x)
			n = x.Value
		case *ast.AliasNode:
			target, ok := r.anchors[x.Value.GetToken().Value]
			if !ok {
				r.Fail(n, "alias *%s has no anchor above it", x.Value.GetToken().Value)
				return nil
			}
			n = target
		case *ast.TagNode:
			n = x.Value
		default:
			return n
		}
	}
	return nil
}

// Pairs returns the entries of an object in their order; what names the object in errors.
func (r *Reader) Pairs(what string, n ast.Node) []*ast.MappingValueNode {
	switch x := r.Plain(n).(type) {
	case nil:
	case *ast.MappingNode:
		return x.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{x}
	default:
		r.Fail(n, "%s must be an object%s", what, r.hint(what))
	}
	return nil
}

// Object reads an object with known keys only.
func (r *Reader) Object(what string, n ast.Node, known Fields) {
	seen := map[string]bool{}
	for _, pair := range r.Pairs(what, n) {
		key := r.Key(pair)
		handle, ok := known[key]
		switch {
		case r.Err != nil:
			return
		case !ok:
			names := slices.Sorted(maps.Keys(known))
			r.Fail(pair.Key, "%s has no key %q; did you mean %q? Known: %s",
				what, key, state.Nearest(key, names), strings.Join(names, ", "))
		case seen[key]:
			r.Fail(pair.Key, "key %q stands twice in %s", key, what)
		default:
			seen[key] = true
			handle(pair.Value)
		}
	}
}

// Key returns the key of an entry, as it is written.
func (r *Reader) Key(pair *ast.MappingValueNode) string {
	if pair.Key.IsMergeKey() {
		r.Fail(pair.Key, "merge keys (<<) are not read; write the keys out")
		return ""
	}
	if s, ok := pair.Key.(*ast.StringNode); ok {
		return s.Value
	}
	return pair.Key.GetToken().Value
}

// List returns the items of a list. A single scalar counts as a list of one, null as an empty list.
func (r *Reader) List(what string, n ast.Node) []ast.Node {
	switch x := r.Plain(n).(type) {
	case nil, *ast.NullNode:
	case *ast.SequenceNode:
		return x.Values
	case ast.ScalarNode:
		return []ast.Node{x}
	default:
		r.Fail(n, "%s must be a list%s", what, r.hint(what))
	}
	return nil
}

// Text reads a scalar as it is written; null is "".
func (r *Reader) Text(what string, n ast.Node) string {
	switch x := r.Plain(n).(type) {
	case nil, *ast.NullNode:
	case *ast.StringNode:
		return x.Value
	case *ast.LiteralNode:
		return x.Value.Value
	case ast.ScalarNode:
		return x.GetToken().Value
	default:
		r.Fail(n, "%s must be a text%s", what, r.hint(what))
	}
	return ""
}

// Texts reads a list of texts; it is never nil, and an empty item is an error.
func (r *Reader) Texts(what string, n ast.Node) []string {
	out := []string{}
	for _, item := range r.List(what, n) {
		text := r.Text("an item of "+what, item)
		if strings.TrimSpace(text) == "" {
			r.Fail(item, "an item of %s is empty", what)
		}
		out = append(out, text)
	}
	return out
}

// Name reads a text that may not be empty.
func (r *Reader) Name(what string, n ast.Node) string {
	text := r.Text(what, n)
	if strings.TrimSpace(text) == "" {
		r.Fail(n, "%s is empty", what)
	}
	return text
}

// OneOf reads a text that must be one of allowed.
func (r *Reader) OneOf(what string, n ast.Node, allowed ...string) string {
	text := r.Text(what, n)
	if !slices.Contains(allowed, text) {
		r.Fail(n, "%s does not accept %q; it takes %s", what, text, strings.Join(allowed, ", "))
	}
	return text
}

// Count reads a whole number from least up.
func (r *Reader) Count(what string, n ast.Node, least int) int {
	text := r.Text(what, n)
	number, err := strconv.Atoi(text)
	if err != nil || number < least {
		r.Fail(n, "%s does not accept %q; it takes a whole number from %d", what, text, least)
	}
	return number
}

// Flag reads true or false (yes and no do as well).
func (r *Reader) Flag(what string, n ast.Node) bool {
	text := r.OneOf(what, n, "true", "false", "yes", "no")
	return text == "true" || text == "yes"
}

// JSON writes a value as compact JSON, keys in their order, numbers as they are written.
func (r *Reader) JSON(n ast.Node) string {
	var b bytes.Buffer
	r.writeJSON(&b, n, 0)
	return b.String()
}

func (r *Reader) writeJSON(b *bytes.Buffer, n ast.Node, depth int) {
	// Nesting is bounded: aliases may unfold without end.
	if depth > 50 {
		r.Fail(n, "is nested more than 50 deep")
		return
	}

	// Plain values become what JSON has for them; everything else becomes a string.
	switch x := r.Plain(n).(type) {
	case nil, *ast.NullNode:
		b.WriteString("null")
	case *ast.MappingNode, *ast.MappingValueNode:
		b.WriteByte('{')
		for i, pair := range r.Pairs("object", x) {
			separate(b, i)
			quote(b, r.Key(pair))
			b.WriteByte(':')
			r.writeJSON(b, pair.Value, depth+1)
		}
		b.WriteByte('}')
	case *ast.SequenceNode:
		b.WriteByte('[')
		for i, item := range x.Values {
			separate(b, i)
			r.writeJSON(b, item, depth+1)
		}
		b.WriteByte(']')
	case *ast.BoolNode:
		b.WriteString(strconv.FormatBool(x.Value))
	case *ast.IntegerNode, *ast.FloatNode:
		if raw := x.GetToken().Value; json.Valid([]byte(raw)) {
			b.WriteString(raw)
			return
		}
		quote(b, x.GetToken().Value)
	default:
		quote(b, r.Text("value", x))
	}
}

func separate(b *bytes.Buffer, i int) {
	if i > 0 {
		b.WriteByte(',')
	}
}

// quote writes s as a JSON string; characters of HTML stay as they are.
func quote(b *bytes.Buffer, s string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil { // a string always encodes
		b.WriteString(`""`)
		return
	}
	b.Truncate(b.Len() - 1) // the line end Encode adds
}
