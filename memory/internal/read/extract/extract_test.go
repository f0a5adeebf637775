package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFacts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, lang string
		said       []string
		want       []Fact
	}{
		{"a correction takes the place of what it corrects", "en", []string{"I live in Leeds", "no, I meant Bradford"}, []Fact{{Update, "address", "Bradford", 1, 10, true, ""}}},
		{"what is to be forgotten is not kept", "en", []string{"I hate coriander.", "forget about coriander"}, []Fact{{Delete, "forget", "coriander", 1, 10, false, ""}}},
		{"the later of two wins", "en", []string{"My name is Ann.", "How are you?", "My name is Beatrice."}, []Fact{{Core, "name", "Beatrice", 2, 8, true, ""}}},
		{"a change of taste", "en", []string{"I love jazz.", "To be honest, I don't like jazz."}, []Fact{{Preference, "dislikes", "I don't like jazz", 1, 8, false, ""}}},
		{"a correction of nothing is left out", "en", []string{"No, I meant Bradford."}, []Fact{}},
		{"a rule that knows what it is about", "cs", []string{"Od teď mi odpovídej anglicky."}, []Fact{{Decision, "jazyk odpovědí", "Od teď mi odpovídej anglicky", 0, 6, true, ""}}},
		{"what there are several of is one when it changes", "en", []string{"I have my account with Lloyds.", "My bank is Starling now."}, []Fact{{Core, "bank", "Starling", 1, 8, true, ""}}},
		{"twice is once", "en", []string{"I love jazz.", "I love jazz!"}, []Fact{{Preference, "likes", "jazz", 0, 8, false, ""}}},
		{"another person is named", "en", []string{"Remember that Petr is vegetarian"}, []Fact{{Core, "Petr", "Petr is vegetarian", 0, 10, false, ""}}},
		{"who speaks", "cs", []string{"Ahoj, tady Marek.", "Tady je zima."}, []Fact{{Core, "jméno", "Marek", 0, 8, true, ""}}},
		{"nothing was said", "cs", nil, []Fact{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, Facts(c.said, c.lang)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestListsAreRead(t *testing.T) {
	t.Parallel()
	if _, err := readLists(files); err != nil {
		t.Error(err)
	}
}

func FuzzFacts(f *testing.F) {
	f.Add("No, I meant Brno. Remember that \"I'm\n> quoted```", "en")
	f.Add("Zapomeň na mou adresu, od teď piš stručně a mám rád čaj", "cs")
	f.Add("мне нравится чай; больше не пиши", "ru")
	f.Fuzz(func(t *testing.T, s, lang string) {
		got := Facts(strings.SplitAfter(s, "."), lang)
		if len(got) > mostFacts {
			t.Errorf("%d facts, want at most %d", len(got), mostFacts)
		}
		for _, fact := range got {
			if fact.Content == "" || fact.Subject == "" || fact.Importance < 1 || fact.Importance > 10 {
				t.Errorf("Facts(%q) holds %+v", s, fact)
			}
		}
	})
}

func TestLongMessagesAreLinear(t *testing.T) {
	t.Parallel()
	said := make([]string, 200)
	for i := range said {
		said[i] = strings.Repeat("I love tea and I hate forget about my ", 2000)
	}
	Facts(said, "en")
}
