package link

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, kind, subject, content string
		topics                       []string
		lang                         string
		want                         []string
	}{
		{"an order", "order", "brake part", "Ordered on eBay, order number 07-14244-53150, https://www.ebay.com/itm/123456789012", []string{"car"}, "en",
			[]string{"id:07-14244-53150", "id:123456789012", "host:ebay.com", "name:ebay", "topic:car"}},
		{"an organisation", "fact", "studies", "Applied to Unicorn University for the autumn", nil, "en", []string{"name:unicorn university"}},
		{"a person with contacts", "contact", "Eva Nováková", "E-mail eva@firma.cz, telefon +420 777 123 456", nil, "cs",
			[]string{"mail:eva@firma.cz", "phone:777123456", "name:eva novakov", "name:novakov"}},
		{"a phone without prefix", "fact", "Eva", "telefon 777 123 456", nil, "cs", []string{"phone:777123456", "name:eva"}},
		{"an account", "fact", "nájem", "IBAN je CZ65 0800 0000 1920 0014 5399", nil, "cs", []string{"id:cz6508000000192000145399"}},
		{"days and months are no names", "fact", "visit", "The visit is on Friday, 6 March with Dr. Hill", nil, "en", []string{"name:hill"}},
		{"a sentence begins", "fact", "note", "Nothing happened. Everything went well.", nil, "en", nil},
		{"no password", "fact", "wifi", "Heslo k wifi je Tygr2024, PIN 4471", nil, "cs", nil},
		{"topics are stems", "fact", "", "", []string{"Auto", "AUTO", "Škola dětí", ""}, "cs", []string{"topic:auto", "topic:skol det"}},
		{"nothing", "", "", "", nil, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, Of(c.kind, c.subject, c.content, c.topics, c.lang)); diff != "" {
				t.Errorf("keys (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOfMeetsInflected checks that mentions of one thing in other cases, words and languages share a key.
func TestOfMeetsInflected(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"Schůzka s Novákem v pátek", "Zavolat panu Novákovi"},
		{"Byli jsme v Brně", "Vlak do Brna jede v 9:00"},
		{"Spotkanie z Kowalskim", "Trzeba zadzwonić do Kowalskiego"},
		{"Встреча с Новиковым", "Позвонить Новикову"},
		{"Zápis na Unicorn University", "The fee of Unicorn University is due"},
		{"Faktura č. 4471 přišla", "Invoice 4471 was paid"},
		{"telefon 777 123 456", "phone +420777123456"},
		{"We flew to Lisbon", "Hotel in Lisbon: booked"},
	} {
		a, b := Of("fact", "", c[0], nil, ""), Of("fact", "", c[1], nil, "")
		if !slices.ContainsFunc(a, func(k string) bool { return slices.Contains(b, k) }) {
			t.Errorf("%q has %q, %q has %q: none is shared", c[0], a, c[1], b)
		}
	}
}

func TestOfLongText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Invoice 4471 from Karl Hill č ", 100_000)
	if got := Of("", "", long, nil, "en"); !slices.Contains(got, "id:4471") || !slices.Contains(got, "name:karl hill") || len(got) > mostKeys {
		t.Errorf("keys %q", got)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("fact", "subject", "Order 4471 from Karl, https://a.example/x, eva@firma.cz, +420 777 123 456", "topic", "en")
	f.Add("contact", "\xff Eva", "A B C. Dd Ee\n\u2028Ff:", "", "cs")
	f.Add("", "", "Č Č Č č-Č & Č", "\x00", "ru")
	f.Fuzz(func(t *testing.T, kind, subject, content, topic, lang string) {
		got := Of(kind, subject, content, []string{topic, content}, lang)
		if len(got) > mostKeys || slices.Contains(got, "") || !slices.Equal(got, Of(kind, subject, content, []string{topic, content}, lang)) {
			t.Errorf("keys %q", got)
		}
		for i, key := range got {
			sort, rest, ok := strings.Cut(key, ":")
			if !ok || rest == "" || rank(key) < 0 || slices.Contains(got[:i], key) || len(rest) > 80 {
				t.Errorf("key %q of sort %q", key, sort)
			}
		}
	})
}
