package text

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStopWordsBelongToTheLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		// What is a stop word in another language only.
		{"en", "Our pod crashed on Friday.", "pod crash friday"},
		{"en", "Bo called about the tiles.", "bo call tile"},
		{"en", "The tests run in Jest now.", "test run byt"},
		{"en", "It costs ten euros.", "cost ten euro"},
		{"en", "The war was long over.", "war long"},
		{"cs", "Ten will je v kuchyni.", "will kuchyn"},
		{"cs", "Máme nový war room v kanceláři.", "nov war room kancelar"},
		{"pl", "Kupiłem nowy will dla mamy.", "kup now will"},
		{"ru", "Наш pod упал в пятницу.", "pod упа пятниц"},
		{"de", "Der Pod ist am Freitag abgestürzt.", "pod freitaz abgesturzt"},
		{"de", "Tom kommt zu dem Termin.", "tom kommt termin"},

		// What is one in the text's own.
		{"en", "What will be in it?", ""},
		{"cs", "Co je pod tím?", ""},
		{"pl", "Bo to jest on.", ""},
		{"ru", "Что это было и для чего?", ""},
		{"pl", "spotkanie: 15 września (Mam to spotkanie w banku)", "spotk 15 wrzesn spotk bank"},
		{"de", "Was ist das und wer ist es?", ""},

		// Names.
		{"en", "I asked Will about it.", "ask will"},
		{"en", "She moved to the US in May.", "move us may"},
		{"en", "IT has the key, ask them.", "it key ask"},
		{"cs", "Tom volal kvůli tomu.", "tom vol"},
		{"cs", "Říkal to Tom, ne Jan.", "rik tom jan"},
		{"pl", "Dzwonił do mnie Bo z pracy.", "dzwon bo prak"},
		{"ru", "Мы едем на По и к Ане.", "ехать по ан"},
		{"de", "Ich habe mit Will gesprochen.", "will gespros"},

		// A capital letter is no name in a polite word, at a sentence's beginning, in a title, in what is shouted.
		{"en", "Well, I think so. And I do.", "think"},
		{"cs", "Mám pro Vás něco. A pro Vaše.", ""},
		{"pl", "Mam coś dla Ciebie i dla Was.", "cieb"},
		{"ru", "Это для Вас. Для Вашего?", "ваш"},
		{"de", "Ist das von Ihnen? Sind Sie das?", ""},
		{"en", "Where To Go With It And Why", ""},
		{"en", "WHERE IS MY ORDER AND WHO HAS IT", "order"},
		{"en", "OK, is it in?", ""},

		// Letters, and signs that are words.
		{"en", "I take vitamin D and we follow plan B.", "take vitamin d follow plan b"},
		{"zh", "我喜欢猫", "我 喜 欢 猫"},
		{"zh", "订单07-14244已发货", "订 单 07-14244 已 发 货"},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, strings.Join(Terms(c.text), " ")); diff != "" {
				t.Errorf("%s: terms of %q (-want +got):\n%s", c.name, c.text, diff)
			}
		})
	}
}

// A text is looked for by stop words where it has nothing else.
func TestSought(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Tom": "tom", "pod": "pod", "jest": "byt", "to be": "to be", "the sofa": "sofa", "": "", "🙂": "",
	} {
		if got := strings.Join(Sought(in), " "); got != want {
			t.Errorf("Sought(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestEmoji(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]string{"❤", "🙂", "🙂"}, Emoji("tea ❤️, 5 °C ─ 🙂🙂")); diff != "" {
		t.Error(diff)
	}
}
