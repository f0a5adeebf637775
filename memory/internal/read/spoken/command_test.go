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
		{"Remember that I drink tea without milk.", Command{Remember, "I drink tea without milk"}},
		{"Hey, could you please remember that I drink tea?", Command{Remember, "I drink tea"}},
		{"I moved to Brno. Remember that, please!", Command{Remember, "I moved to Brno"}},
		{"forget it", Command{ForgetLast, ""}},
		{"that's not important, don't remember this", Command{DoNotRemember, ""}},
		{"what do you know about me?", Command{ShowAll, ""}},
		{"what do you know about my car?", Command{AboutTopic, "my car"}},
		{"clear everything about my old job", Command{ClearTopic, "my old job"}},
		{"update: my address is Elm Street 5", Command{Correct, "my address is Elm Street 5"}},
		{"never forget that I'm allergic to nuts :)", Command{Pin, "I'm allergic to nuts"}},
		{"Zapamatuj si, že mám rád čaj", Command{Remember, "mám rád čaj"}},
		{"zapomen na to", Command{ForgetLast, ""}},
		{"Co o mně víš?", Command{ShowAll, ""}},
		{"Co víš o mém autě?", Command{AboutTopic, "mém autě"}},
		{"Zapamiętaj, że lubię kawę", Command{Remember, "lubię kawę"}},
		{"co o mnie wiesz?", Command{ShowAll, ""}},
		{"Запомни, что я люблю чай", Command{Remember, "я люблю чай"}},
		{"Что ты обо мне знаешь?", Command{ShowAll, ""}},
		{"Forget that my door code is 4711", Command{ClearTopic, "my door code is 4711"}},
		{"Забудь, что код от нашей двери 4711", Command{ClearTopic, "код от нашей двери 4711"}},
		{"I'll never forget that my train was late", Command{Action: None}},
		{"Read all of it.", Command{Action: None}},
		{"What do you know about that?", Command{Action: None}},
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
	g, err := read(files)
	if err != nil {
		t.Error(err)
	}
	for _, v := range g.vocabularies {
		for p := range v.All() {
			if len(p.Places) == 0 {
				t.Errorf("an empty expression in %s", v.lang)
			}
		}
	}
	if most := 64; len(g.names) > most {
		t.Errorf("%d groups of words, more than %d", len(g.names), most)
	}
}

func BenchmarkFind(b *testing.B) {
	for name, s := range map[string]string{
		"message": strings.Repeat("I met Tom today, he said it would rain tomorrow. ", 4),
		"typo":    strings.Repeat("Včera jsem zapomnel klíče, tak jsme čekali venku. ", 4),
		"paste":   strings.Repeat("please, what do you know, tell me, and remember that; ", 2000),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Find(s)
			}
		})
	}
}
