package tree

import (
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/mneme-graph/mneme/state"
)

// The limits of a file.
const (
	MaxBytes   = 4 << 20
	maxDepth   = 64
	maxKeys    = 1000 // of one object
	maxAliases = 1000
)

// Parse returns the syntax tree of a file; file is its name in errors. What is not YAML, or larger, deeper or wider than
// the limits, is state.ErrInvalid, with the line.
func Parse(file string, data []byte) (*ast.File, error) {
	if len(data) > MaxBytes {
		return nil, state.Errorf(state.Invalid, file, "has %d bytes, at most %d are read; split it", len(data), MaxBytes)
	}
	tokens, err := readTokens(file, string(data))
	if err != nil {
		return nil, err
	}
	tree, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, state.Errorf(state.Invalid, file, "is not YAML: %s", yaml.FormatError(err, false, false))
	}
	return tree, nil
}

// readTokens cuts the text into tokens, a larger part of it each time, so that what is too much near the beginning is found
// before the rest costs anything.
func readTokens(file, text string) (token.Tokens, error) {
	for part := 16 << 10; ; part *= 4 {
		part = min(part, len(text))
		tokens := lexer.Tokenize(text[:part])
		var n nesting
		for _, t := range tokens {
			if tooMuch := n.take(t); tooMuch != "" {
				return nil, state.Errorf(state.Invalid, fmt.Sprintf("%s:%d", file, t.Position.Line), "%s", tooMuch)
			}
		}
		if part == len(text) {
			return tokens, nil
		}
	}
}

// level is an object or a list that is open: in brackets, or a block that begins in a column.
type level struct {
	column int // 0 = in brackets
	keys   int
}

// nesting is where in the document a token stands.
type nesting struct {
	open    []level
	aliases int
}

// take follows one token and says what is too much, "" when nothing is.
func (n *nesting) take(t *token.Token) string {
	// Brackets open and close levels; without brackets the column does.
	switch t.Type {
	case token.DocumentHeaderType, token.DocumentEndType:
		*n = nesting{}
	case token.SequenceStartType, token.MappingStartType:
		n.open = append(n.open, level{})
	case token.SequenceEndType, token.MappingEndType:
		n.closeTo(0)
		n.open = n.open[:max(0, len(n.open)-1)]
	case token.SequenceEntryType, token.MappingKeyType:
		n.enter(t.Position.Column)
	case token.MappingValueType:
		if t.Prev != nil {
			n.enter(t.Prev.Position.Column)
		}
		if last := len(n.open) - 1; last >= 0 {
			n.open[last].keys++
			if n.open[last].keys > maxKeys {
				return fmt.Sprintf("an object has more than %d keys; split it", maxKeys)
			}
		}
	case token.AliasType:
		if n.aliases++; n.aliases > maxAliases {
			return fmt.Sprintf("has more than %d aliases; write the values out", maxAliases)
		}
	}

	// Depth is looked at behind every token: each of them may have opened a level.
	if len(n.open) > maxDepth {
		return fmt.Sprintf("is nested more than %d deep", maxDepth)
	}
	return ""
}

// enter opens the block that begins in a column, or goes back to it. In brackets columns mean nothing.
func (n *nesting) enter(column int) {
	n.closeTo(column)
	last := len(n.open) - 1
	if last < 0 || n.open[last].column > 0 && n.open[last].column < column {
		n.open = append(n.open, level{column: column})
	}
}

// closeTo leaves the blocks that begin to the right of a column, up to the next bracket.
func (n *nesting) closeTo(column int) {
	for last := len(n.open) - 1; last >= 0 && n.open[last].column > column; last-- {
		n.open = n.open[:last]
	}
}
