package state

import (
	"reflect"
	"time"

	"github.com/mneme-graph/mneme/state/limit"
)

// Accepts returns what the setting of a name takes; ok is false where there is none.
func (Settings) Accepts(name string) (a limit.Accepted, ok bool) {
	x, ok := settingNamed(name)
	if !ok {
		return a, false
	}
	a = limit.Accepted{Type: "text", Min: x.low, Max: x.high, Choices: x.allowed, Process: x.process}
	switch of := reflect.TypeFor[Settings]().Field(x.field).Type; {
	case of == reflect.TypeFor[time.Duration]():
		a.Type = "duration"
	case of.Kind() == reflect.Int:
		a.Type = "integer"
	case of.Kind() == reflect.Float64:
		a.Type = "number"
	case of.Kind() == reflect.Bool:
		a.Type = "boolean"
	case len(x.allowed) > 0:
		a.Type = "choice"
	}
	return a, true
}
