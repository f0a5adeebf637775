package ahead_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory/internal/read/ahead"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// wednesday is a day in the midst of a week and of nothing else.
var wednesday = time.Date(2026, 3, 4, 9, 30, 0, 0, time.UTC)

// days writes a stretch by its first and its last day.
func days(s ahead.Stretch) string {
	if s.Until.IsZero() {
		return "any"
	}
	return s.From.Format(time.DateOnly) + " " + s.Until.AddDate(0, 0, -1).Format(time.DateOnly)
}

// What is asked for is read in each language, with its stretch and what it is about.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ says, asked, about string }{
		{"What do I have to do today?", "2026-03-04 2026-03-04", ""},
		{"Hi! What's waiting for me tomorrow and on Friday?", "2026-03-05 2026-03-06", ""},
		{"what do I need to get done by the end of next week", "2026-03-04 2026-03-15", ""},
		{"What have I got on next Friday?", "2026-03-13 2026-03-13", ""},
		{"What have I got on next Monday?", "2026-03-09 2026-03-09", ""},
		{"Is anything due on 12 March?", "2026-03-12 2026-03-12", ""},
		{"what's due in April?", "2026-04-01 2026-04-30", ""},
		{"what must I pay by 20 January?", "2026-03-04 2027-01-20", ""},
		{"what deadlines do I have this month", "2026-03-01 2026-03-31", ""},
		{"What's left to do about the boiler?", "any", "boiler"},
		{"Co mě čeká do konce týdne?", "2026-03-04 2026-03-08", ""},
		{"na co nesmím tento týden zapomenout", "2026-03-02 2026-03-08", ""},
		{"co mam pristi patek v planu", "2026-03-13 2026-03-13", ""},
		{"Co musím vyřídit do 20. března?", "2026-03-04 2026-03-20", ""},
		{"Co mnie czeka w tym tygodniu i później?", "2026-03-02 2027-04-08", ""},
		{"co muszę zrobić do końca miesiąca?", "2026-03-04 2026-03-31", ""},
		{"Что мне предстоит в следующем месяце?", "2026-04-01 2026-04-30", ""},
		{"Что нужно успеть к пятнице?", "2026-03-04 2026-03-06", ""},
		{"Was steht übermorgen an?", "2026-03-06 2026-03-06", ""},
		{"Was muss ich bis Ende der Woche erledigen?", "2026-03-04 2026-03-08", ""},
		{"Habe ich am Samstag etwas vor?", "2026-03-07 2026-03-07", ""},
	} {
		q, asks := ahead.Read(c.says, wednesday)
		if diff := cmp.Diff([]string{c.asked, c.about}, []string{days(q.Stretch), strings.Join(q.About, " ")}); !asks || diff != "" {
			t.Errorf("%q asks %v (-want +got):\n%s", c.says, asks, diff)
		}
	}
}

// What only looks like a question for what waits asks for nothing, and what is over is known by its words.
func TestReadNone(t *testing.T) {
	t.Parallel()
	for _, says := range []string{
		"", "What's the weather this week?", "What did I have to do last week?", "A friend is waiting for me.", "What is Eva doing tomorrow?",
		"What do you have on Friday?", "co mě čekalo včera?", "Čeká mě kamarád.", "Co dělá Petr tento týden?", "mám rád pátek",
		"Co robi Piotr w piątek?", "czeka na mnie kolega", "Меня ждёт друг.", "Какая погода завтра?", "Was macht Jana morgen?", "Ich warte auf den Bus.", "Was habe ich heute gegessen?",
		"What do I have to do " + strings.Repeat("and then ", 30) + "today?",
	} {
		if q, asks := ahead.Read(says, wednesday); asks {
			t.Errorf("%q asks for %s, %q", says, days(q.Stretch), q.About)
		}
	}
	for says, want := range map[string]bool{
		"What did I do last Friday?": true, "co bylo minulý pátek": true, "в прошлую пятницу": true, "letzten Freitag": true, "w zeszły piątek": true,
		"Move it to Friday.": false, "v pátek": false,
	} {
		if got := ahead.Past(says); got != want {
			t.Errorf("Past(%q) is %v", says, got)
		}
	}
}

// A text names its days from the time on at which it was said.
func TestNamed(t *testing.T) {
	t.Parallel()
	for says, want := range map[string]string{
		"6 March 2026": "2026-03-06 2026-03-06", "friday": "2026-03-06 2026-03-06", "tomorrow at 8": "2026-03-05 2026-03-05",
		"22 February to 5 March": "2026-02-22 2026-03-05", "od 8. 3. do 5. 4. 2026": "2026-03-04 2026-04-05",
		"2. ledna": "2026-01-02 2026-01-02", "5 August": "2026-08-05 2026-08-05", "8:30": "any", "": "any", "čtvrtek 12. března": "2026-03-12 2026-03-12",
		"do 31 marca": "2026-03-04 2026-03-31", "by friday": "2026-03-04 2026-03-06", "до 12 марта": "2026-03-04 2026-03-12",
	} {
		if got := days(ahead.Named(says, wednesday)); got != want {
			t.Errorf("Named(%q) is %s, want %s", says, got, want)
		}
	}
	if got := days(ahead.Named("2. ledna", time.Date(2026, 12, 20, 9, 0, 0, 0, time.UTC))); got != "2027-01-02 2027-01-02" {
		t.Errorf("said in December it is %s", got)
	}
}

// Whatever is read, it does not fail, and a stretch begins before it ends.
func FuzzRead(f *testing.F) {
	f.Add("What do I have to do by Friday?", int64(1))
	f.Add("co mě čeká příští týden 31. 2.", int64(1_800_000_000))
	f.Fuzz(func(t *testing.T, says string, at int64) {
		now := time.Unix(at%4_000_000_000, 0).UTC()
		q, asks := ahead.Read(says, now)
		if !asks && (!q.Until.IsZero() || q.About != nil) {
			t.Errorf("%q asks for nothing and says %v", says, q)
		}
		for _, s := range []ahead.Stretch{q.Stretch, ahead.Named(says, now)} {
			if !s.Until.IsZero() && !s.From.Before(s.Until) {
				t.Errorf("%q ends before it begins: %v", says, s)
			}
		}
	})
}

// TestAsks: most of what asks for whatever waits is heard, and next to nothing else.
func TestAsks(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]struct{ heard, wrongly int }{"dev": {34, 1}, "held": {24, 1}} {
		lines, err := text.ReadList(os.DirFS("testdata"), set+".txt")
		if err != nil {
			t.Fatal(err)
		}
		heard, of, wrongly, others := 0, 0, 0, 0
		for _, l := range lines {
			for says := range strings.SplitSeq(l.Value, " | ") {
				q, asks := ahead.Read(says, wednesday)
				asks = asks && len(q.About) == 0
				switch {
				case l.Key == "yes" && asks:
					heard++
				case asks:
					wrongly++
				}
				if l.Key == "yes" {
					of++
				} else {
					others++
				}
				if set == "dev" && asks != (l.Key == "yes") {
					t.Logf("%q is heard: %v, about %q", says, asks, q.About)
				}
			}
		}
		t.Logf("%s: heard %d of %d, wrongly %d of %d", set, heard, of, wrongly, others)
		if heard < want.heard || wrongly > want.wrongly {
			t.Errorf("%s: heard %d, wrongly %d; want %v", set, heard, wrongly, want)
		}
	}
}
