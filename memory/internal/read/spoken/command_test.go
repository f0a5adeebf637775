package spoken

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want Command
	}{
		{"Remember that I drink tea without milk.", Command{Remember, "I drink tea without milk", "en"}},
		{"Hey, could you please remember that I drink tea?", Command{Remember, "I drink tea", "en"}},
		{"I moved to Brno. Remember that, please!", Command{Remember, "I moved to Brno", "en"}},
		{"forget it", Command{ForgetLast, "", "en"}},
		{"that's not important, don't remember this", Command{DoNotRemember, "", "en"}},
		{"what do you know about me?", Command{ShowAll, "", "en"}},
		{"what do you know about my car?", Command{AboutTopic, "my car", "en"}},
		{"clear everything about my old job", Command{ClearTopic, "my old job", "en"}},
		{"update: my address is Elm Street 5", Command{Correct, "my address is Elm Street 5", "en"}},
		{"never forget that I'm allergic to nuts :)", Command{Pin, "I'm allergic to nuts", "en"}},
		{"Zapamatuj si, že mám rád čaj", Command{Remember, "mám rád čaj", "cs"}},
		{"zapomen na to", Command{ForgetLast, "", "cs"}},
		{"Co o mně víš?", Command{ShowAll, "", "cs"}},
		{"Co víš o mém autě?", Command{AboutTopic, "mém autě", "cs"}},
		{"Zapamiętaj, że lubię kawę", Command{Remember, "lubię kawę", "pl"}},
		{"co o mnie wiesz?", Command{ShowAll, "", "pl"}},
		{"Запомни, что я люблю чай", Command{Remember, "я люблю чай", "ru"}},
		{"Что ты обо мне знаешь?", Command{ShowAll, "", "ru"}},
		{"don't forget to call mum", Command{Action: None}},
		{"I forgot my keys", Command{Action: None}},
		{"do you remember the film?", Command{Action: None}},
		{"remember when we met?", Command{Action: None}},
		{`she said "forget it" and left`, Command{Action: None}},
		{"remind me to call Ann", Command{Action: None}},
		{"", Command{Action: None}},
	} {
		if diff := cmp.Diff(c.want, Find(c.text)); diff != "" {
			t.Errorf("Find(%q) (-want +got):\n%s", c.text, diff)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("Hey, „remember\" that\n… forget it :)")
	f.Fuzz(func(t *testing.T, s string) {
		if c := Find(s); !strings.Contains(s, c.Object) || c.Action == None && c.Object != "" {
			t.Errorf("Find(%q) is %+v", s, c)
		}
	})
}

// TestListsAreRead makes sure that every line of a list can be used.
func TestListsAreRead(t *testing.T) {
	t.Parallel()
	k, err := read(files)
	if err != nil {
		t.Error(err)
	}
	for p := range k.patterns.All() {
		if len(p.Places) == 0 {
			t.Errorf("an empty pattern of %s in %s", p.Is.action, p.Is.lang)
		}
	}
}
