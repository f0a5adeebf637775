package state

import (
	"reflect"
	"time"
)

// Accepted says what a setting takes, for forms that ask for its value.
type Accepted struct {
	Type    string   `json:"type" enum:"integer,number,boolean,duration,choice,text"`
	Min     float64  `json:"min,omitempty" doc:"Of numbers, and of durations in seconds"`
	Max     float64  `json:"max,omitempty" doc:"0 = no upper bound"`
	Choices []string `json:"choices,omitempty"`
	Process bool     `json:"process,omitempty" doc:"It counts from the start of a process on: no client and no user has one of its own"`
}

// Accepts returns what the setting of a name takes; ok is false where there is none.
func Accepts(name string) (a Accepted, ok bool) {
	x, ok := settingNamed(name)
	if !ok {
		return a, false
	}
	a = Accepted{Type: "text", Min: x.low, Max: x.high, Choices: x.allowed, Process: x.process}
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
