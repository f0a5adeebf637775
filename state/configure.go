package state

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// setting is one entry of the list of settings: its name, where its value stands, and what it accepts.
type setting struct {
	name      string
	to        any      // *int, *float64, *bool, *string or *time.Duration
	low, high float64  // of numbers, and of durations in seconds; high 0 = no upper bound
	allowed   []string // of a string; none = any text
}

// list makes the list of settings from the tags of their fields.
func (s *Settings) list() []setting {
	v := reflect.ValueOf(s).Elem()
	list := make([]setting, 0, v.NumField())
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		x := setting{name: tag.Get("yaml"), to: v.Field(i).Addr().Interface()}
		takes := tag.Get("takes")
		if low, high, numbers := strings.Cut(takes, ".."); numbers {
			x.low, _ = strconv.ParseFloat(low, 64) // 0 where it says none
			x.high, _ = strconv.ParseFloat(high, 64)
		} else if takes != "" {
			x.allowed = strings.Split(takes, ", ")
		}
		list = append(list, x)
	}
	return list
}

// SettingNames lists the names of all settings, sorted.
func SettingNames() []string {
	var s Settings
	var names []string
	for _, x := range s.list() {
		names = append(names, x.name)
	}
	slices.Sort(names)
	return names
}

// Set gives the setting called name a value written as in a file or in the environment: whole numbers,
// fractions with a point, true or false, durations as Go writes them ("5m"). The error is Invalid: for
// an unknown name it names the nearest known one, for a bad value what is allowed; s is then unchanged.
func (s *Settings) Set(name, value string) error {
	for _, x := range s.list() {
		if x.name == name {
			return x.set(strings.TrimSpace(value))
		}
	}
	return Errorf(Invalid, "setting "+strconv.Quote(name),
		"is not known; did you mean %q? `mneme doctor` lists all", Nearest(name, SettingNames()))
}

// Get returns the value of the setting called name as Set reads it, "" for an unknown name.
func (s Settings) Get(name string) string {
	for _, x := range s.list() {
		if x.name == name {
			return x.get()
		}
	}
	return ""
}

// Validate checks every value as Set would, and that the values fit together. The error is Invalid
// and names the first setting that does not.
func (s Settings) Validate() error {
	for _, x := range s.list() {
		if err := x.set(x.get()); err != nil {
			return err
		}
	}
	switch {
	case s.MaxTokens > s.ContextWindow:
		return Errorf(Invalid, "setting max_tokens", "%d is more than context_window (%d); lower it", s.MaxTokens, s.ContextWindow)
	case s.ShareAffair+s.ShareParked+s.ShareUser+s.ShareProject > 100:
		return Errorf(Invalid, "setting context_share_affair", "%d per cent is, with context_share_parked (%d), _user (%d) and _project (%d), more than 100; lower one",
			s.ShareAffair, s.ShareParked, s.ShareUser, s.ShareProject)
	case s.DedupThreshold > s.UpdateThreshold:
		return Errorf(Invalid, "setting memory_dedup_threshold", "%v is above memory_update_threshold (%v); lower it",
			s.DedupThreshold, s.UpdateThreshold)
	}
	return nil
}

// Idle is a setting that is accepted and has no effect in this release.
type Idle struct{ Name, Reason string }

// IdleSettings lists the settings that do nothing yet, or not all they say, and why, so that nobody tunes them in
// vain. Those of one reason stand together.
func IdleSettings() []Idle {
	var out []Idle
	for _, x := range []struct {
		reason string
		names  []string
	}{
		{"the brain and its levels L1 and L2 are not built yet", []string{"brain_max_tokens", "l1_after_sessions", "l2_after_l1"}},
		{"what is loaded is kept fresh by the feed and goes when room is needed; it does not expire", []string{"affair_cache_ttl", "search_cache_ttl"}},
		{"3 acts as 2, which writes without asking; 0 refuses every write, 1 asks before each", []string{"autonomy"}},
	} {
		for _, name := range x.names {
			out = append(out, Idle{name, x.reason})
		}
	}
	return out
}

// set parses text, checks it and stores it; on an error the old value stays.
func (x setting) set(text string) error {
	switch to := x.to.(type) {
	case *int:
		v, err := strconv.Atoi(text)
		return storeValue(x, to, v, text, float64(v), err)
	case *float64:
		v, err := strconv.ParseFloat(text, 64)
		return storeValue(x, to, v, text, v, err)
	case *bool:
		v, err := strconv.ParseBool(text)
		return storeValue(x, to, v, text, x.low, err)
	case *time.Duration:
		v, err := time.ParseDuration(text)
		return storeValue(x, to, v, text, v.Seconds(), err)
	case *string:
		if x.allowed == nil || slices.Contains(x.allowed, text) {
			*to = text
			return nil
		}
	}
	return x.refuse(text)
}

// storeValue stores the value that text was read as, if its number n is allowed. NaN is not: no comparison holds of it.
func storeValue[T any](x setting, to *T, v T, text string, n float64, err error) error {
	if err != nil || !(n >= x.low && (x.high == 0 || n <= x.high)) {
		return x.refuse(text)
	}
	*to = v
	return nil
}

func (x setting) get() string {
	switch to := x.to.(type) {
	case *int:
		return strconv.Itoa(*to)
	case *float64:
		return strconv.FormatFloat(*to, 'g', -1, 64)
	case *bool:
		return strconv.FormatBool(*to)
	case *time.Duration:
		return to.String()
	case *string:
		return *to
	}
	return ""
}

func (x setting) refuse(text string) error {
	return Errorf(Invalid, "setting "+x.name, "does not accept %q; it takes %s", text, x.accepts())
}

// accepts describes the legal values in words.
func (x setting) accepts() string {
	what := "a whole number"
	switch x.to.(type) {
	case *bool:
		return "true or false"
	case *string:
		return strings.Join(x.allowed, ", ")
	case *time.Duration:
		return "a duration such as 5m or 90s"
	case *float64:
		what = "a number"
	}
	if x.high > 0 {
		return fmt.Sprintf("%s from %v to %v", what, x.low, x.high)
	}
	return fmt.Sprintf("%s from %v", what, x.low)
}

// Nearest returns the candidate that takes the fewest edits to become name; the first of equals, ""
// without candidates. For "did you mean".
func Nearest(name string, candidates []string) string {
	best, least := "", -1
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(name), c); least < 0 || d < least {
			best, least = c, d
		}
	}
	return best
}

// editDistance is Levenshtein's distance over bytes, one row at a time.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
