package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// soon is how long a key fact is taken to be to come that says a day of the week or a time alone.
const soon = 7 * 24 * time.Hour

// Ahead returns the key facts of an affair that say a day or a time that is not over yet where the user of the context is: appointments, last days,
// deliveries. It reads no store.
func (f Affairs) Ahead(ctx context.Context, a *state.Affair) (ahead []state.Fact) {
	if a.Status == state.Resolved {
		return nil
	}
	now := f.m.c.Now().In(f.m.desk.Set(ctx).Location())
	for _, fact := range a.KeyFacts {
		if saysWhen(fact) && !isOver(fact, now) {
			ahead = append(ahead, fact)
		}
	}
	return ahead
}

// saysWhen reports whether the value of a key fact is a day or a time.
func saysWhen(f state.Fact) bool {
	return slices.ContainsFunc(facts.Extract(f.Label+": "+f.Value, ""), func(x facts.Fact) bool {
		whole := strings.HasSuffix(f.Value, x.Value) || strings.HasPrefix(f.Value, x.Value)
		return whole && (x.Kind == facts.Date || x.Kind == facts.Deadline || x.Kind == facts.Time)
	})
}

// isOver reports whether the day that a key fact says, of a stretch the last one, is before a time; of a day of the week or a time alone, whether it was said
// long before.
func isOver(f state.Fact, now time.Time) bool {
	named := lastDay(f.Value)
	if named.Month == 0 || named.Day == 0 {
		return f.Since.Before(now.Add(-soon))
	}
	const half = 183 * 24 * time.Hour
	year := named.Year
	if year == 0 {
		year = f.Since.Year()
	}
	day := time.Date(year, named.Month, named.Day, 23, 59, 59, 0, now.Location())
	if named.Year == 0 && day.Before(f.Since.Add(-half)) { // said in December of January
		day = day.AddDate(1, 0, 0)
	}
	return day.Before(now)
}

// lastDay reads the last day that a value names, the first one if none begins at a word: the 5th of "22. Februar bis 5. März 2027".
func lastDay(value string) text.Asked {
	words := strings.Fields(value)
	for from := len(words) - 1; from >= 0; from-- {
		if day := text.AskedBy(strings.Join(words[from:], " ")); day.Month > 0 && day.Day > 0 {
			return day
		}
	}
	return text.AskedBy(value)
}
