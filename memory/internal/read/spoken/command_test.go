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
		{"Forget everything!", Command{Action: ClearTopic}},
		{"Zapomeň všechno.", Command{Action: ClearTopic}},
		{"Zapomnij wszystko", Command{Action: ClearTopic}},
		{"Забудь всё.", Command{Action: ClearTopic}},
		{"Remember that I drink tea without milk.", Command{Action: Remember, Object: "I drink tea without milk"}},
		{"Hey, could you please remember that I drink tea?", Command{Action: Remember, Object: "I drink tea"}},
		{"I moved to Brno. Remember that, please!", Command{Action: Remember, Object: "I moved to Brno"}},
		{"note: the wifi password is [masked password b8]", Command{Action: Remember, Object: "the wifi password is [masked password b8]"}},
		{"Zapamatuj si, že heslo je [masked password b8].", Command{Action: Remember, Object: "heslo je [masked password b8]"}},
		{"Zapamiętaj, że hasło to [masked password b8]!", Command{Action: Remember, Object: "hasło to [masked password b8]"}},
		{"Запомни, что пароль [masked password b8].", Command{Action: Remember, Object: "пароль [masked password b8]"}},
		{"Remember that I live in York (the old one).", Command{Action: Remember, Object: "I live in York (the old one)"}},
		{"Remember that the boat is called \"Sea Fox\".", Command{Action: Remember, Object: "the boat is called \"Sea Fox\""}},
		{"forget it", Command{Action: ForgetLast, Object: ""}},
		{"that's not important, don't remember this", Command{Action: DoNotRemember, Object: ""}},
		{"what do you know about me?", Command{Action: ShowAll, Object: ""}},
		{"what do you know about my car?", Command{Action: AboutTopic, Object: "my car"}},
		{"clear everything about my old job", Command{Action: ClearTopic, Object: "my old job"}},
		{"update: my address is Elm Street 5", Command{Correct, "my address is Elm Street 5", false, true}},
		{"never forget that I'm allergic to nuts :)", Command{Action: Pin, Object: "I'm allergic to nuts"}},
		{"Zapamatuj si, že mám rád čaj", Command{Action: Remember, Object: "mám rád čaj"}},
		{"zapomen na to", Command{Action: ForgetLast, Object: ""}},
		{"Co o mně víš?", Command{Action: ShowAll, Object: ""}},
		{"Co víš o mém autě?", Command{Action: AboutTopic, Object: "mém autě"}},
		{"Zapamiętaj, że lubię kawę", Command{Action: Remember, Object: "lubię kawę"}},
		{"co o mnie wiesz?", Command{Action: ShowAll, Object: ""}},
		{"Запомни, что я люблю чай", Command{Action: Remember, Object: "я люблю чай"}},
		{"Что ты обо мне знаешь?", Command{Action: ShowAll, Object: ""}},
		{"Forget that my door code is 4711", Command{Action: ClearTopic, Object: "my door code is 4711"}},
		{"Забудь, что код от нашей двери 4711", Command{Action: ClearTopic, Object: "код от нашей двери 4711"}},
		{"I'll never forget that my train was late", Command{Action: None}},
		{"Read all of it.", Command{Action: None}},
		{"What do you know about that?", Command{Action: None}},
		{"don't forget to call mum", Command{Action: None}},
		{"I forgot my keys", Command{Action: None}},
		{"do you remember the film?", Command{Action: None}},
		{"remember when we met?", Command{Action: None}},
		{`she said "forget it" and left`, Command{Action: None}},
		{"remind me to call Ann", Command{Action: None}},
		{"Save my PIN 4711 in your memory", Command{Action: Remember, Object: "my PIN 4711"}},
		{"Never forget to salt the water", Command{Action: None}},
		{"не забывай солить воду", Command{Action: None}},
		{"Tell me everything you know about black holes", Command{AboutTopic, "black holes", true, false}},
		{"Just so you know, I work nights", Command{Action: Remember, Object: "I work nights"}},
		{"Měj prosím na paměti, že nesmím lepek", Command{Action: Remember, Object: "nesmím lepek"}},
		{"Better not write this one down, ok?", Command{Action: DoNotRemember, Object: ""}},
		{"O Lucii už nechci nic slyšet, vymaž o ní všechno", Command{Action: ClearTopic, Object: "Lucii už nechci nic slyšet"}},
		{"Co víš o Petrovi?", Command{Action: AboutTopic, Object: "Petrovi"}},
		{"Co víš o Einsteinovi?", Command{AboutTopic, "Einsteinovi", true, false}},
		{"Zapamiętaj, że nie toleruję laktozy", Command{Action: Remember, Object: "nie toleruję laktozy"}},
		{"Исправь: он ходить в школу", Command{Action: None}},
		{"write down five ideas for a present", Command{Action: None}},
		{"Delete everything about Tom from the report", Command{Action: None}},
		{"memory.clear() // delete everything about me", Command{Action: None}},
		{"In a README: `forget it`", Command{Action: None}},
		{"I don`t like tea. Forget it!", Command{Action: ForgetLast, Object: ""}},
		{"Remember the elderly, the charity says in its leaflet", Command{Action: None}},
		{"Tell me something about yourself", Command{Action: None}},
		{"Kids, remember that we leave at six", Command{Action: None}},
		{"Remember that e is a letter, said the lecturer.", Command{Action: None}},
		{"Forget it, mate, he laughed, you are too late.", Command{Action: None}},
		{"As I said, forget it", Command{Action: ForgetLast}},
		{"If I told you to forget it, what then?", Command{Action: None}},
		{"Suppose I wanted it, forget my name", Command{Action: None}},
		{"Zapomeň, kámo, zasmál se, mě neporazíš.", Command{Action: None}},
		{"That's wrong, two and two are four", Command{Correct, "two and two are four", true, false}},
		{"Remember the milk", Command{Action: None}},
		{"Remember the code 4711", Command{Action: Remember, Object: "the code 4711"}},
		{"Clean this up", Command{Action: None}},
		{"Change my flight to Friday", Command{Action: None}},
		{"Dej si pauzu", Command{Action: None}},
		{"Forget what they say, it is a good song", Command{Action: None}},
		{"Important: the lift is broken", Command{Action: None}},
		{"Important: I am allergic to nuts", Command{Action: Pin, Object: "I am allergic to nuts"}},
		{"To do:\n- forget it\n- remember that I like tea", Command{Action: None}},
		{"> forget it\nThat is what he wrote.", Command{Action: None}},
		{"Correct that: I live in York", Command{Correct, "I live in York", false, true}},
		{"Поправка: я живу в Твери", Command{Correct, "я живу в Твери", false, true}},
		{"", Command{Action: None}},
	} {
		if diff := cmp.Diff(c.want, Find(c.text)); diff != "" {
			t.Errorf("Find(%q) (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestCorrected(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"не в Твери, а в Торжке":           "в Торжке",
		"not in Leeds, but in York":        "in York",
		"ne ve Zlíně, ale v Brně":          "v Brně",
		"nie w Łodzi, tylko w Gdańsku":     "w Gdańsku",
		"nie mam psa, tylko kota":          "kota",
		"I live in York, but not for long": "I live in York, but not for long",
		"not on Monday":                    "not on Monday",
		"":                                 "",
	} {
		if got := Corrected(said); got != want {
			t.Errorf("Corrected(%q) = %q, want %q", said, got, want)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("Hey, „remember\" that\n… forget it :)")
	f.Fuzz(func(t *testing.T, s string) {
		if !strings.HasSuffix(s, Corrected(s)) {
			t.Errorf("Corrected(%q) is %q", s, Corrected(s))
		}
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
	if most := 128; len(g.names) > most {
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
