package spoken

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFind has what nobody may get wrong. How well the words of people are read is measured in memory/score.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want Command
	}{
		{"Forget everything!", Command{Action: ClearTopic}},
		{"Forget everything you know about me.", Command{Action: ClearTopic}},
		{"Забудь всё.", Command{Action: ClearTopic}},
		{"Forget my order number 07-14244-53150", Command{Action: ClearTopic, Object: "my order number 07-14244-53150"}},
		{"Now about my gate code: it is kx88q037, I need it for the trip.", Command{Action: None}},
		{"a ten kód ode dveří zapomeň, to jsem sem psát neměl", Command{Action: ClearTopic, Object: "ten kód ode dveří"}},
		{"Zapomeň všechno.", Command{Action: ClearTopic}},
		{"Remember that I drink tea without milk.", Command{Action: Remember, Object: "I drink tea without milk"}},
		{"I moved to Brno. Remember that, please!", Command{Action: Remember, Object: "I moved to Brno"}},
		{"Zapamatuj si, že heslo je [masked password b8].", Command{Action: Remember, Object: "heslo je [masked password b8]"}},
		{"Remember that I live in York (the old one).", Command{Action: Remember, Object: "I live in York (the old one)"}},
		{"Remember that the boat is called \"Sea Fox\".", Command{Action: Remember, Object: "the boat is called \"Sea Fox\""}},
		{"forget it", Command{Action: ForgetLast}},
		{"what do you know about me?", Command{Action: ShowAll}},
		{"Co víš o mém autě?", Command{Action: AboutTopic, Object: "mém autě"}},
		{"What do you know about Rex?", Command{Action: AboutTopic, Object: "Rex", IfKnown: true}},
		{"update: my address is Elm Street 5", Command{Action: Correct, Object: "my address is Elm Street 5", Order: true}},
		{"Never forget that my cat is called Micka", Command{Action: Pin, Object: "my cat is called Micka"}},
		{"Забудь, что код от нашей двери 4711", Command{Action: ClearTopic, Object: "код от нашей двери 4711"}},
		{"Zapomnij, gdzie mieszkam", Command{Action: ClearTopic, Object: "gdzie mieszkam"}},
		{"Merk dir bitte, dass ich in Graz wohne.", Command{Action: Remember, Object: "ich in Graz wohne"}},
		{"don't forget to call mum", Command{Action: None}},
		{"Zapomněl jsem klíče doma", Command{Action: None}},
		{"Forget the hotel, we will take the night train.", Command{Action: None}},
		{"Удали второй абзац", Command{Action: None}},
		{`she said "forget it" and left`, Command{Action: None}},
		{"I'm allergic to nuts.", Command{Action: None}},
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

func TestAllIsAWordOfItsOwn(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]bool{"all": true, "allergy": false, "všechno": true, "calendar": false, "celer": false, "wszystko": true, "всё": true} {
		if got := meansAll(split(said)[0]); got != want {
			t.Errorf("%q means all: %v, want %v", said, got, want)
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

func BenchmarkFind(b *testing.B) {
	for name, s := range map[string]string{
		"message": strings.Repeat("I met Tom today, he said it would rain tomorrow. ", 4),
		"order":   "Hey, could you please remember that I drink tea without milk?",
		"paste":   strings.Repeat("please, what do you know, tell me, and remember that; ", 2000),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Find(s)
			}
		})
	}
}

// TestOrdinary holds what nothing was learnt from and orders nothing: hardly any of it is taken for an order, or asked back about. One in sixteen begins with the
// word for remember.
func TestOrdinary(t *testing.T) {
	t.Parallel()
	n, taken, asked, ifKnown := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for _, l := range readLabelled(t, func(hand string) bool { return hand == "ordinary" }) {
		n[l.Lang]++
		switch c := Find(l.Text); {
		case c.Action == None:
		case c.Action == Unclear:
			asked[l.Lang]++
		case c.IfKnown:
			ifKnown[l.Lang]++
		default:
			taken[l.Lang]++
		}
	}
	for lang, all := range n {
		t.Logf("%s: of %d ordinary messages %d are taken for orders, %d are asked back about, %d are orders if the memory knows", lang, all, taken[lang], asked[lang], ifKnown[lang])
		if 100*taken[lang] > 2*all || 100*asked[lang] > 3*all || 100*ifKnown[lang] > 3*all {
			t.Errorf("%s: want at most 2 %%, 3 %% and 3 %%", lang)
		}
	}
	if len(n) != 5 {
		t.Errorf("languages: %v", n)
	}
}

// What is to be forgotten may itself sound like an order to keep it; and what is not to be forgotten is not.
func TestForgettingAStatement(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		said string
		want Action
		of   string
	}{
		{"Forget that I am allergic to peanuts.", ClearTopic, "I am allergic to peanuts"},
		{"Please forget that I never eat meat", ClearTopic, "I never eat meat"},
		{"forget: I always want short answers", ClearTopic, "I always want short answers"},
		{"Can you forget that the key is always under the mat?", ClearTopic, "the key is always under the mat"},
		{"Můžeš zapomenout, že nejím maso?", ClearTopic, "nejím maso"},
		{"Chci, abys zapomněl, že mám cukrovku", ClearTopic, "mám cukrovku"},
		{"Usuń to, że mieszkam w Łodzi", ClearTopic, "mieszkam w Łodzi"},
		{"Chcę, żebyś zapomniał, że mam cukrzycę", ClearTopic, "mam cukrzycę"},
		{"Можешь забыть, что ключ всегда под ковриком?", ClearTopic, "ключ всегда под ковриком"},
		{"Vergiss, dass ich in York wohne.", ClearTopic, "ich in York wohne"},
		{"Bitte vergessen Sie, dass ich keine Nüsse esse.", ClearTopic, "ich keine Nüsse esse"},
		{"Ich möchte, dass du vergisst, dass ich in Graz wohne.", ClearTopic, "ich in Graz wohne"},
		{"Lösche, dass Anna in Graz wohnt.", ClearTopic, "Anna in Graz wohnt"},
		{"Vergiss nicht, dass ich um 9 komme.", Remember, "ich um 9 komme"},
		{"Ich habe vergessen, dass ich um 9 komme.", None, ""},
		{"Don't forget that I live in York", Remember, "I live in York"},
		{"Never forget that I am allergic to peanuts.", Pin, "I am allergic to peanuts"},
		{"Nezapomeň, že bydlím v Brně", Remember, "bydlím v Brně"},
		{"Nie zapomnij, że lubię jazz", Remember, "lubię jazz"},
		{"Не забудь, что я живу в Твери", Remember, "я живу в Твери"},
		{"Zapomněl jsem, že mám jít k lékaři", None, ""},
		{"Zapomniałem, że mam wizytę", None, ""},
		{"He forgot that I live in York", None, ""},
	} {
		if c := Find(tt.said); c.Action != tt.want || c.Object != tt.of {
			t.Errorf("%s: %s of %q, want %s of %q", tt.said, c.Action, c.Object, tt.want, tt.of)
		}
	}
}

// What is told by a question is an order too, with the question: its words are not the value that is to be forgotten.
func TestForgettingWhatAQuestionTells(t *testing.T) {
	t.Parallel()
	for message, object := range map[string]string{
		"Bitte vergiss, was die Kasse zur Krone zahlt.": "was die Kasse zur Krone zahlt", "Bitte vergiss, wogegen Hanna allergisch ist.": "wogegen Hanna allergisch ist",
		"Please forget what the insurance pays for the crown.": "what the insurance pays for the crown", "Forget how much the crown costs.": "how much the crown costs",
		"Zapomeň, na co je Hana alergická.": "na co je Hana alergická", "Zapomnij, ile płaci ubezpieczenie.": "ile płaci ubezpieczenie", "Забудь, сколько платит страховка.": "сколько платит страховка",
	} {
		if got := Find(message); !got.Forgets() || got.Object != object {
			t.Errorf("%q: %+v, want that %q is forgotten", message, got, object)
		}
	}
	for _, message := range []string{"Wie konntest du vergessen, wo ich wohne?", "I forget what it costs.", "Vergiss nicht, was ich bestellt habe.", "Nezapomeň, kdo přijde."} {
		if got := Find(message); got.Forgets() {
			t.Errorf("%q: %+v, want nothing forgotten", message, got)
		}
	}
}

// An order to forget is one whomever it is said to and however politely; what only speaks of forgetting is none.
func TestForgettingIsOrdered(t *testing.T) {
	t.Parallel()
	for message, object := range map[string]string{
		"Zapomeň kód od dveří.": "kód od dveří", "Prosím tě, zapomeň kód od dveří.": "kód od dveří", "Hele, zapomeň moje telefonní číslo.": "moje telefonní číslo",
		"Jano, prosím zapomeň kód od brány.": "kód od brány", "Prosím tě, zapomeň, že bydlím v Brně.": "bydlím v Brně", "Mohl bys prosím zapomenout kód od dveří?": "kód od dveří",
		"Zapomnij kod do drzwi.": "kod do drzwi", "Proszę cię, zapomnij kod do drzwi.": "kod do drzwi", "Hej, możesz zapomnieć mój adres?": "mój adres",
		"Słuchaj, zapomnij numer telefonu mojej siostry.": "numer telefonu mojej siostry",
		"Забудь код от двери.":                            "код от двери", "Пожалуйста, забудь код от двери.": "код от двери", "Слушай, забудь мой адрес.": "мой адрес",
		"Forget the door code.": "the door code", "Hey, could you forget the door code?": "the door code", "Listen, forget that I live in York.": "I live in York",
		"Thanks! Now forget my phone number, please.": "my phone number",
	} {
		if got := Find(message); got.Action != ClearTopic || got.Object != object {
			t.Errorf("%q: %+v, want that %q is forgotten", message, got, object)
		}
	}
	for _, message := range []string{
		"Nezapomeň kód od dveří.", "Prosím tě, nezapomeň na kód od dveří.", "Zapomněl jsi kód od dveří?", "Na to nezapomenu.", "Ať nezapomenu kód.", "Nemůžu zapomenout na ten kód.",
		"Prosím tě, zapomněla jsem kód od dveří, jaký je?",
		"Nie zapomnij kodu do drzwi.", "Proszę cię, nie zapomnij kodu.", "Czy zapomniałeś mój adres?", "Zapomniałem kod do drzwi.", "Nie zapomnę tego kodu.",
		"Не забудь код от двери.", "Я забыл код от двери.", "Ты забыл мой адрес?", "Пожалуйста, не забудь позвонить Ане.", "Я не забуду код.",
		"I won't forget the door code.", "Did you forget the door code?", "Don't forget the door code.", "Hey, don't forget to call Ana.", "I always forget the door code.",
		"How could you forget my birthday?", "Hey, did you forget my address?", "You forget everything.", "Sorry, I forget the door code.", "Please don't let me forget the door code.",
	} {
		if got := Find(message); got.Forgets() {
			t.Errorf("%q: %+v, want nothing forgotten", message, got)
		}
	}
}
