package scenario

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

// reader walks the syntax tree of one document. The first error sticks; later reads return zero values,
// so that callers need not check each one.
type reader struct {
	file    string
	anchors map[string]ast.Node
	read    int
	err     error
}

// fields says what to do with the value of each key an object may have.
type fields map[string]func(ast.Node)

// fail keeps the first error, with file and line.
func (r *reader) fail(n ast.Node, format string, args ...any) {
	if r.err == nil {
		r.err = state.Errorf(state.Invalid, fmt.Sprintf("%s:%d", r.file, line(n)), format, args...)
	}
}

// line is where n stands, 1 when the tree does not say.
func line(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 1
	}
	return n.GetToken().Position.Line
}

// plain unfolds tags, anchors and aliases. It returns nil after an error.
func (r *reader) plain(n ast.Node) ast.Node {
	for r.err == nil {
		if r.read++; r.read > maxNodes {
			r.fail(n, "the document unfolds to more than %d values; use fewer aliases", maxNodes)
			break
		}
		switch x := n.(type) {
		case *ast.AnchorNode:
			r.anchors[x.Name.GetToken().Value] = x.Value
			n = x.Value
		case *ast.AliasNode:
			target, ok := r.anchors[x.Value.GetToken().Value]
			if !ok {
				r.fail(n, "alias *%s has no anchor above it", x.Value.GetToken().Value)
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

// pairs returns the entries of an object in their order; what names the object in errors.
func (r *reader) pairs(what string, n ast.Node) []*ast.MappingValueNode {
	switch x := r.plain(n).(type) {
	case nil:
	case *ast.MappingNode:
		return x.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{x}
	default:
		r.fail(n, "%s must be an object%s", what, hint(what))
	}
	return nil
}

// object reads an object with known keys only.
func (r *reader) object(what string, n ast.Node, known fields) {
	seen := map[string]bool{}
	for _, pair := range r.pairs(what, n) {
		key := r.key(pair)
		handle, ok := known[key]
		switch {
		case r.err != nil:
			return
		case !ok:
			names := slices.Sorted(maps.Keys(known))
			r.fail(pair.Key, "%s has no key %q; did you mean %q? Known: %s",
				what, key, state.Nearest(key, names), strings.Join(names, ", "))
		case seen[key]:
			r.fail(pair.Key, "key %q stands twice in %s", key, what)
		default:
			seen[key] = true
			handle(pair.Value)
		}
	}
}

func (r *reader) key(pair *ast.MappingValueNode) string {
	if pair.Key.IsMergeKey() {
		r.fail(pair.Key, "merge keys (<<) are not read; write the keys out")
		return ""
	}
	if s, ok := pair.Key.(*ast.StringNode); ok {
		return s.Value
	}
	return pair.Key.GetToken().Value
}

// list returns the items of a list. A single scalar counts as a list of one, null as an empty list.
func (r *reader) list(what string, n ast.Node) []ast.Node {
	switch x := r.plain(n).(type) {
	case nil, *ast.NullNode:
	case *ast.SequenceNode:
		return x.Values
	case ast.ScalarNode:
		return []ast.Node{x}
	default:
		r.fail(n, "%s must be a list%s", what, hint(what))
	}
	return nil
}

// text reads a scalar as it is written; null is "".
func (r *reader) text(what string, n ast.Node) string {
	switch x := r.plain(n).(type) {
	case nil, *ast.NullNode:
	case *ast.StringNode:
		return x.Value
	case *ast.LiteralNode:
		return x.Value.Value
	case ast.ScalarNode:
		return x.GetToken().Value
	default:
		r.fail(n, "%s must be a text%s", what, hint(what))
	}
	return ""
}

// texts reads a list of texts; it is never nil, and an empty item is an error.
func (r *reader) texts(what string, n ast.Node) []string {
	out := []string{}
	for _, item := range r.list(what, n) {
		text := r.text("an item of "+what, item)
		if strings.TrimSpace(text) == "" {
			r.fail(item, "an item of %s is empty", what)
		}
		out = append(out, text)
	}
	return out
}

// name reads a text that may not be empty.
func (r *reader) name(what string, n ast.Node) string {
	text := r.text(what, n)
	if strings.TrimSpace(text) == "" {
		r.fail(n, "%s is empty", what)
	}
	return text
}

// oneOf reads a text that must be one of allowed.
func (r *reader) oneOf(what string, n ast.Node, allowed ...string) string {
	text := r.text(what, n)
	if !slices.Contains(allowed, text) {
		r.fail(n, "%s does not accept %q; it takes %s", what, text, strings.Join(allowed, ", "))
	}
	return text
}

// count reads a whole number from least up.
func (r *reader) count(what string, n ast.Node, least int) int {
	text := r.text(what, n)
	number, err := strconv.Atoi(text)
	if err != nil || number < least {
		r.fail(n, "%s does not accept %q; it takes a whole number from %d", what, text, least)
	}
	return number
}

// flag reads true or false (yes and no do as well).
func (r *reader) flag(what string, n ast.Node) bool {
	text := r.oneOf(what, n, "true", "false", "yes", "no")
	return text == "true" || text == "yes"
}

// json writes a value as compact JSON, keys in their order, numbers as they are written.
func (r *reader) json(n ast.Node) string {
	var b bytes.Buffer
	r.writeJSON(&b, n, 0)
	return b.String()
}

func (r *reader) writeJSON(b *bytes.Buffer, n ast.Node, depth int) {
	if depth > 50 {
		r.fail(n, "is nested more than 50 deep")
		return
	}
	switch x := r.plain(n).(type) {
	case nil, *ast.NullNode:
		b.WriteString("null")
	case *ast.MappingNode, *ast.MappingValueNode:
		b.WriteByte('{')
		for i, pair := range r.pairs("object", x) {
			separate(b, i)
			quote(b, r.key(pair))
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
		quote(b, r.text("value", x))
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
