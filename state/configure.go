package state

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// setting is one entry of the list of settings: its name, where its value stands, and what it accepts.
type setting struct {
	name      string
	alias     string   // another name of it, "" = none
	field     int      // of Settings
	low, high float64  // of numbers, and of durations in seconds; high 0 = no upper bound
	allowed   []string // of a string; none = any text
	process   bool     // counts from the start of a process on
}

// catalogue is the list of settings, made from the tags of their fields.
var catalogue = sync.OnceValue(func() []setting { //nolint:gochecknoglobals // a constant that is computed once
	fields := reflect.TypeFor[Settings]()
	list := make([]setting, 0, fields.NumField())
	for i := range fields.NumField() {
		tag := fields.Field(i).Tag
		x := setting{name: tag.Get("yaml"), alias: tag.Get("alias"), field: i, process: tag.Get("per") == "process"}
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
})

// settingNamed finds a setting by its name or its alias.
func settingNamed(name string) (setting, bool) {
	for _, x := range catalogue() {
		if name != "" && (x.name == name || x.alias == name) {
			return x, true
		}
	}
	return setting{}, false
}

// SettingNames lists the names of all settings, sorted.
func SettingNames() []string {
	var names []string
	for _, x := range catalogue() {
		names = append(names, x.name)
	}
	slices.Sort(names)
	return names
}

// SettingNamed finds a setting by its name or its alias. Process says that its value counts from the start of a process on, and that no
// client and no user has one of its own. The error of an unknown name is Invalid and names the nearest known one.
func SettingNamed(name string) (canonical string, process bool, err error) {
	x, ok := settingNamed(name)
	if !ok {
		return "", false, Errorf(Invalid, "setting "+strconv.Quote(name),
			"is not known%s; `mneme doctor` lists all", DidYouMean(name, SettingNames()))
	}
	return x.name, x.process, nil
}

// Set gives the setting called name a value written as in a file or in the environment: whole numbers,
// fractions with a point, true or false, durations as Go writes them ("5m"). The error is Invalid: for
// an unknown name it names the nearest known one, for a bad value what is allowed; s is then unchanged.
func (s *Settings) Set(name, value string) error {
	x, ok := settingNamed(name)
	if !ok {
		_, _, err := SettingNamed(name)
		return err
	}
	return x.set(s.at(x), strings.TrimSpace(value))
}

// Get returns the value of the setting called name as Set reads it, "" for an unknown name.
func (s Settings) Get(name string) string {
	if x, ok := settingNamed(name); ok {
		return format(s.at(x))
	}
	return ""
}

// at returns where the value of a setting stands: *int, *float64, *bool, *string or *time.Duration.
func (s *Settings) at(x setting) any {
	return reflect.ValueOf(s).Elem().Field(x.field).Addr().Interface()
}

// Validate checks every value as Set would, and that the values fit together. The error is Invalid
// and names the first setting that does not.
func (s Settings) Validate() error {
	for _, x := range catalogue() {
		if err := x.set(s.at(x), format(s.at(x))); err != nil {
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

// set parses text, checks it and stores it; on an error the old value stays.
func (x setting) set(at any, text string) error {
	switch to := at.(type) {
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
		if x.name == "time_zone" {
			if _, err := time.LoadLocation(text); err == nil && text != "" && text != "Local" {
				*to = text
				return nil
			}
			return x.refuse(at, text)
		}
		if x.allowed == nil || slices.Contains(x.allowed, text) {
			*to = text
			return nil
		}
	}
	return x.refuse(at, text)
}

// storeValue stores the value that text was read as, if its number n is allowed. NaN is not: no comparison holds of it.
func storeValue[T any](x setting, to *T, v T, text string, n float64, err error) error {
	if err != nil || !(n >= x.low && (x.high == 0 || n <= x.high)) {
		return x.refuse(to, text)
	}
	*to = v
	return nil
}

// format writes a value as Set reads it.
func format(at any) string {
	switch to := at.(type) {
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

func (x setting) refuse(at any, text string) error {
	return Errorf(Invalid, "setting "+x.name, "does not accept %q; it takes %s", text, x.accepts(at))
}

// accepts describes the legal values in words.
func (x setting) accepts(at any) string {
	what := "a whole number"
	switch at.(type) {
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

// Nearest returns the candidate that takes the fewest edits to become name, where each letter that both begin with counts for one less: who
// knows a name by half begins it right. The first of equals, "" without candidates. For "did you mean".
func Nearest(name string, candidates []string) string {
	name = strings.ToLower(name)
	best, least := "", 0
	for i, c := range candidates {
		d := editDistance(name, c)
		for j := 0; j < min(len(name), len(c)) && name[j] == c[j]; j++ {
			d--
		}
		if i == 0 || d < least {
			best, least = c, d
		}
	}
	return best
}

// Near is Nearest where that is so near that it may be meant: a letter or two away, or a name that begins or ends so. "" for none.
func Near(name string, candidates []string) string {
	const half = 4 // letters that are enough of a name
	name, near := strings.ToLower(name), Nearest(name, candidates)
	part := len(name) >= half && (strings.HasPrefix(near, name) || strings.HasSuffix(near, name))
	if part || near != "" && editDistance(name, near) <= 1+len(name)/half {
		return near
	}
	return ""
}

// DidYouMean asks after the candidate that is near a name, behind a sentence that it is not known; "" where none is.
func DidYouMean(name string, candidates []string) string {
	if near := Near(name, candidates); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
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
