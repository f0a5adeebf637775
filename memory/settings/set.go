package settings

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mneme-graph/mneme/state"
)

// Set is what holds for one scope.
type Set struct {
	state.Settings
	Notes   []string // what of the documents is left out, and why
	origins map[string]string
}

// Origins of a value besides the levels of documents and what Config.Fixed says.
const (
	Default  = "default"
	Operator = "operator" // the host's Config
)

// Origin says where a value is from: what Config.Fixed says, Operator, user, client, global or Default.
func (s *Set) Origin(name string) string {
	if canonical, _, err := state.SettingNamed(name); err == nil {
		name = canonical
	}
	if origin, ok := s.origins[name]; ok {
		return origin
	}
	return Default
}

// autonomy is the one setting that only ever gets less.
const autonomy = "autonomy"

// resolve puts documents over the operator's settings, the nearest last.
func (d *Documents) resolve(layers ...document) *Set {
	s := &Set{Settings: d.c.Operator, origins: maps.Clone(d.fixed)}
	for _, l := range layers {
		d.put(s, l)
	}
	return s
}

// put puts a document over what stands so far. What fits together is taken together; if it does not, each value by itself that fits.
func (d *Documents) put(s *Set, l document) {
	if l.err != nil {
		s.Autonomy, s.origins[autonomy] = 0, string(l.level)
		s.note("the document of level %s cannot be read and says nothing, and autonomy is 0 until it is mended: %v", l.level, l.err)
	}
	next := s.Settings
	var names []string
	for _, name := range slices.Sorted(maps.Keys(l.Values)) {
		canonical, process, err := state.SettingNamed(name)
		switch {
		case err != nil:
			s.note("level %s: %v", l.level, err)
		case process && l.level != ForAll:
			s.note("level %s: %v", l.level, errProcess(canonical, l.level))
		case process: // AtStart has taken it
		case canonical == autonomy:
			s.lower(l.level, l.Values[name])
		case d.fixed[canonical] != "":
		default:
			if err := next.Set(canonical, l.Values[name]); err != nil {
				s.note("level %s: %v; it is left out", l.level, err)
				continue
			}
			names = append(names, canonical)
		}
	}
	next.Autonomy = s.Autonomy
	together := next.Validate() == nil
	for _, name := range names {
		one := s.Settings
		_ = one.Set(name, next.Get(name)) // it was accepted above
		if err := one.Validate(); err != nil && !together {
			s.note("level %s: %v; %s %s is left out", l.level, err, name, next.Get(name))
			continue
		}
		s.Settings, s.origins[name] = one, string(l.level)
	}
}

// lower takes a document's autonomy if it is less, or the global document's if the operator says nothing. One that cannot be read is 0.
func (s *Set) lower(level Level, value string) {
	var said state.Settings
	if err := said.Set(autonomy, value); err != nil {
		s.note("level %s: %v; it counts as 0", level, err)
	}
	_, spoken := s.origins[autonomy]
	if said.Autonomy < s.Autonomy || level == ForAll && !spoken {
		s.Autonomy, s.origins[autonomy] = said.Autonomy, string(level)
	}
}

func (s *Set) note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

// errProcess refuses a setting of a process below the global document.
func errProcess(name string, level Level) error {
	return state.Errorf(state.Invalid, "setting "+name, "is a setting of a process and cannot be set for a %s; set it with level %s, or by flag, environment or file", level, ForAll)
}
