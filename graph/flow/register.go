package flow

import (
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

// init registers the token with eino, which keeps its types in tables of its own: so that a host's
// checkpoint may contain it, and so that branches may join (all bring the same token).
func init() {
	schema.RegisterName[Token]("mneme_token")
	compose.RegisterValuesMergeFunc(func(tokens []Token) (Token, error) { return tokens[0], nil })
}
