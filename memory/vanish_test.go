package memory_test

import (
	"slices"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// What is a stop word in another language, a name, a small word or a picture tells two texts apart: the second is no repetition.
func TestWordsTellTwoTextsApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ first, second string }{
		{"Our server crashed on Friday.", "Our pod crashed on Friday."},
		{"Jan pays for the tiles.", "Bo pays for the tiles."},
		{"The tests run in Mocha.", "The tests run in Jest."},
		{"The key is in the box.", "The key is on the box."},
		{"Call them about the roof.", "Call her about the roof."},
		{"Na balkoně stojí stůl.", "Na balkoně stojí will."},
		{"Nechal to u Petra.", "Nechal to u Toma."},
		{"Klíč leží za květináčem.", "Klíč leží pod květináčem."},
		{"Serwer padł w piątek.", "Will padł w piątek."},
		{"Klucz leży na szafie.", "Klucz leży pod szafą."},
		{"Сервер упал в пятницу.", "Pod упал в пятницу."},
		{"Ключ лежит на шкафу.", "Ключ лежит за шкафом."},
		{"我喜欢猫", "我喜欢狗"},
		{"Mood of Monday: 🙂", "Mood of Monday: 😡"},
	} {
		t.Run(c.second, func(t *testing.T) {
			t.Parallel()
			_, m := setup(t)
			write(t, m, in("s1"), memory.Change{Content: c.first})
			receipts, err := m.Write(t.Context(), in("s1"), memory.Change{Content: c.second})
			if err != nil || len(receipts) != 1 || receipts[0].Outcome == state.Repeated {
				t.Fatalf("%+v, %v", receipts, err)
			}
			again, err := m.Write(t.Context(), in("s1"), memory.Change{Content: c.second})
			if err != nil || len(again) != 1 || again[0].Outcome != state.Repeated {
				t.Errorf("said again: %+v, %v", again, err)
			}
		})
	}
}

// What is said is found by each word that says something, alone and in a question.
func TestNoWordVanishes(t *testing.T) {
	t.Parallel()
	said := []string{
		"Tom called about the sofa.", "Our pod crashed on Friday.", "The front end is tested with Jest.", "Bo lays the tiles.", "She moved to the US.",
		"Tom volal kvůli pračce.", "Kočka má nový will.", "Dzwonił Bo w sprawie dachu.", "Наш pod упал ночью.", "Tom bringt das Sofa.",
		"我的电饭煲坏了", "The garden party was great 🎉", "Take vitamin D in winter.",
	}
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"Tom", []string{said[0], said[5], said[9]}}, {"What did Tom want?", []string{said[0]}}, {"Co chtěl Tom?", []string{said[5]}}, {"Was bringt Tom?", []string{said[9]}},
		{"pod", []string{said[1], said[8]}}, {"Did the pod crash?", []string{said[1]}}, {"Что с pod?", []string{said[8]}},
		{"Jest", []string{said[2]}}, {"Bo", []string{said[3], said[7]}}, {"Co mówił Bo?", []string{said[7]}}, {"US", []string{said[4]}}, {"will", []string{said[6]}},
		{"电饭煲", []string{said[10]}}, {"坏", []string{said[10]}}, {"🎉", []string{said[11]}}, {"vitamin D", []string{said[12]}},
	} {
		t.Run(c.query, func(t *testing.T) {
			t.Parallel()
			_, m := setup(t)
			for _, s := range said {
				write(t, m, in("s1"), memory.Change{Content: s})
			}
			got := texts(t, m, memory.Query{Scope: in("s1"), Text: c.query, In: memory.InKB, Limit: 5})
			for _, want := range c.want {
				if !slices.Contains(got, want) {
					t.Errorf("found %q, want %q", got, want)
				}
			}
		})
	}
}
