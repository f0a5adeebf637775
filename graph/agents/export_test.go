package agents

import (
	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/state"
)

// Parse reads the definitions of one file, as YAML documents; file is its name in errors.
func Parse(file string, text []byte) ([]state.Agent, error) {
	l := loading{tokens: token.New()}
	if err := l.file(file, text); err != nil {
		return nil, err
	}
	return l.agents(), nil
}
