package mask_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/mask"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	m := mask.New()
	for name, c := range map[string]struct{ in, gone, stays string }{
		"live key":          {"můj klíč je sk-live-4f9a8b7c6d5e, ulož ho", "sk-live", "ulož ho"},
		"underscore key":    {"STRIPE=sk_live_51Habcdefghijk", "sk_live", "STRIPE"},
		"plain sk key":      {"use sk-abcdefghijklmnopqrstuvwx please", "sk-abc", "please"},
		"access key":        {"AKIAIOSFODNN7EXAMPLE is the id", "AKIA", "is the id"},
		"github token":      {"ghp_0123456789abcdefghijABCDEFGHIJ012345", "ghp_", ""},
		"jwt":               {"t=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", "eyJ", "t="},
		"private key":       {"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nhi", "MIIE", "hi"},
		"unfinished key":    {"-----BEGIN PRIVATE KEY-----\nMIIE", "MIIE", ""},
		"english password":  {"password: hunter22, ok?", "hunter22", "password:"},
		"czech password":    {"heslo: Tajne123", "Tajne123", "heslo"},
		"polish password":   {"hasło=Tajne123", "Tajne123", "hasło"},
		"russian password":  {"мой пароль: Секрет123", "Секрет123", "пароль"},
		"url with password": {"mongodb://root:s3cret@db.example/x", "s3cret", "@db.example"},
		"bearer":            {"Authorization: Bearer abcdefghijklmnop1234", "abcdefghijklmnop", "Bearer"},
		"bare word":         {"heslo na wifi malina", "malina", "wifi"},
		"whose it is":       {"hasło do laptopa brata kocur", "kocur", "laptopa brata"},
		"it comes first":    {"hedgehog is my password", "hedgehog", "is my password"},
		"typed in":          {"when it asks for a password type opensesame", "opensesame", "type"},
		"put in between":    {"The password, believe it or not, is owlfeather", "owlfeather", "believe it or not"},
		"old and new":       {"старый пароль был собачка, новый котяра", "котяра", "новый"},
		"list on a line":    {"hesla: mail Mrkev1, banka Celer2", "Celer2", "banka"},
		"account":           {"jo@example.com / Owlfeather1", "Owlfeather1", "jo@example.com"},
		"named key":         {`api_key="0123456789abcdef"`, "0123456789abcdef", "api_key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, n := m.Secrets(c.in)
			if n == 0 || strings.Contains(got, c.gone) || !strings.Contains(got, c.stays) || !strings.Contains(got, "[masked ") {
				t.Errorf("Secrets(%q) = %q, %d: want %q hidden, %q kept", c.in, got, n, c.gone, c.stays)
			}
		})
	}
}

func TestSecretsLeavesTheRest(t *testing.T) {
	t.Parallel()
	m := mask.New()
	for _, s := range []string{
		"objednávka 07-14244-53150 za $38.10", "https://www.ebay.com/itm/167956961209", "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
		"commit 9fceb02d0ae598e95dc970b74767f19372d61af8", "+420 777 123 456", "heslo k wifi je dlouhé", "IBAN CZ66 0800 0000 1920 0014 5399",
		"пароль от wifi простой", "sk-learn is a library", "",
		"heslo zná Petr", "heslo vypršelo", "hasło brata", "пароль сбросил", "pod heslem svoboda", "password manager", "heslo je na lednici", "kdo zná heslo na wifi?",
	} {
		if got, n := m.Secrets(s); got != s || n != 0 {
			t.Errorf("Secrets(%q) = %q, %d: want it unchanged", s, got, n)
		}
	}
}

// What is told without a word that announces it is found in what was typed alone; ids of records, pasted texts and what is only spoken of stay.
func TestTyped(t *testing.T) {
	t.Parallel()
	m := mask.New()
	for text, gone := range map[string]string{
		"alarm code 0916, please tell nobody, not even the cleaner": "0916",
		"to get into the laptop type tigerlily9, only we two know":  "tigerlily9",
		"do sejfu wchodzi się 4471, nikomu ani słowa":               "4471",
	} {
		if got, n := m.Typed(text); n == 0 || strings.Contains(got, gone) {
			t.Errorf("Typed(%q) = %q: want %q hidden", text, got, gone)
		}
	}
	for _, text := range []string{
		"remember that my door code is 4711", "my student number is 448812", "the password must have eight letters", "order 7730-118-2206 came without the shade",
		"keys on Friday, id 01a21d0116ec82f58ffd3a90", "My phone number is 07700 900123.", strings.Repeat("slovo a b c ", 2000),
	} {
		if got, n := m.Typed(text); n > 0 {
			t.Errorf("Typed(%.60q) = %.80q: want it unchanged", text, got)
		}
	}
}

func TestPlaceholders(t *testing.T) {
	t.Parallel()
	m := mask.New()
	for text, want := range map[string]string{
		"the password is hunter2Swordfish99, and hunter2Swordfish99 is my password": "the password is [masked password 7792], and [masked password 7792] is my password",
		"PIN 4821, CVV 123":    "PIN [masked PIN], CVV [masked card code]",
		"passwords: Winter24!": "passwords: [masked password 28]",
	} {
		if got, _ := m.Secrets(text); got != want {
			t.Errorf("Secrets(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestNumbers has numbers that their digits give away, and each with a digit changed.
func TestNumbers(t *testing.T) {
	t.Parallel()
	m := mask.New()
	for secret, other := range map[string]string{
		"745407/3594": "745407/3595", "44051401359": "44051401358", "112-233-445 95": "112-233-445 96", "4111 1111 1111 1111": "4111 1111 1111 1112",
		"411111 11111 11111": "411111 11111 11112", "378282246310005": "378282246310006",
	} {
		if got, n := m.Secrets("it is " + secret + ", she says"); n != 1 || strings.Contains(got, secret) {
			t.Errorf("Secrets of %q: %q, %d: want it hidden", secret, got, n)
		}
		if got, n := m.Secrets("it is " + other + ", she says"); n != 0 {
			t.Errorf("Secrets of %q: %q, %d: want it unchanged", other, got, n)
		}
	}
}

// TestSecretsAgain has secrets that stand in a message more often than they are announced.
func TestSecretsAgain(t *testing.T) {
	t.Parallel()
	m := mask.New()
	for text, want := range map[string]string{
		"My password is Wi7er9xQ. Did you note Wi7er9xQ?":             "My password is [masked password 80]. Did you note [masked password 80]?",
		"Wi7er9xQ is what you wrote. My password is Wi7er9xQ":         "[masked password 80] is what you wrote. My password is [masked password 80]",
		"My password is Wi7er9xQ. I typed karel/Wi7er9xQ":             "My password is [masked password 80]. I typed karel/[masked password 80]",
		"My password is Wi7er9xQ. Not Wi7er9xQa, nor aWi7er9xQ":       "My password is [masked password 80]. Not Wi7er9xQa, nor aWi7er9xQ",
		"heslo na wifi malina\nmám rád maliny, Malina a (malina)":     "heslo na wifi [masked password]\nmám rád maliny, Malina a ([masked password])",
		"PIN 1234, order 1234-77 of 12.12.1234, is it 1234?":          "PIN [masked PIN], order 1234-77 of 12.12.1234, is it [masked PIN]?",
		`"est" jest moje hasło`:                                       `"[masked password]" jest moje hasło`,
		`password: "seven goats crossed it" (seven goats crossed it)`: `password: "[masked password edc2]" ([masked password edc2])`,
	} {
		if got, _ := m.Secrets(text); got != want {
			t.Errorf("Secrets(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestBlank(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                "",
		"no secret [here]":                "no secret [here]",
		"a [masked PIN] b [masked key 1]": "a              b               ",
		"[masked PIN":                     "[masked PIN",
	} {
		if got := mask.Blank(text); got != want {
			t.Errorf("Blank(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestTwiceIsOnce(t *testing.T) {
	t.Parallel()
	m := mask.New()
	for _, s := range []string{
		"hasło do wifi malina, zobacz czy jest rower", "heslo? kocour", "the password is hedgehog and trombone", "passwords: mail x1y2z3, bank a1b2c3d4",
		"jo@example.com / Owlfeather1 is my login", "type opensesame when it asks for the password",
	} {
		once, n := m.Secrets(s)
		if twice, _ := m.Secrets(once); n == 0 || twice != once {
			t.Errorf("Secrets(%q) = %q, %d, and of that %q", s, once, n, twice)
		}
	}
}

func FuzzSecrets(f *testing.F) {
	f.Add("password: x sk-live-aaaaaaaa")
	m := mask.New()
	f.Fuzz(func(t *testing.T, s string) {
		once, _ := m.Secrets(s)
		if len(once) > 64*(len(s)+1) {
			t.Errorf("Secrets grew %d bytes to %d", len(s), len(once))
		}
		if twice, _ := m.Secrets(once); utf8.ValidString(s) && twice != once {
			t.Errorf("Secrets(%q) = %q, and of that %q", s, once, twice)
		}
	})
}

// TestTimeIsLinear has texts full of words that announce secrets, on one line and on many: eight times as long may take little more than
// eight times as long.
func TestTimeIsLinear(t *testing.T) {
	m := mask.New()
	for _, piece := range []string{
		"the password is known, the token = none\n", "heslo: ", "password of karel / token ", "AKIAIOSFODNN7EXAMPLE.aB3dE5gH7jK9mN1pQ3sT5v.", "passwords:\n- mail: x\n",
		"type password when the password ", "jo@example.com / ab ", "hesla: mail x, banka y, ", "wifi a b / c ",
	} {
		took := func(size int) time.Duration {
			text, best := strings.Repeat(piece, size/len(piece)), time.Hour
			for range 3 {
				began := time.Now()
				m.Secrets(text)
				best = min(best, time.Since(began))
			}
			return best
		}
		const tries = 10 // other work on the machine lengthens some
		var short, long time.Duration
		for range tries {
			if short, long = took(16<<10), took(128<<10); long <= 40*max(short, time.Millisecond) {
				break
			}
		}
		if long > 40*max(short, time.Millisecond) {
			t.Errorf("%q: %s for 16 KB, %s for 128 KB", piece, short, long)
		}
	}
}

// What a person says to be no secret stays as he says it, there and in what is made of it; what has a form of its own does not.
func TestFrees(t *testing.T) {
	t.Parallel()
	m := mask.New()
	for message, shown := range map[string]string{
		"That's no secret, the gate code is 4471": "4471", "To není žádné tajemství, heslo na wifi je Kavarna2024": "Kavarna2024",
		"to nie hasło, hasło: kluska_2010 to mój nick": "kluska_2010", "Ничего тайного, код от калитки 4482": "4482",
	} {
		if got, n := m.Typed(message); n != 0 || !mask.Frees(message) {
			t.Errorf("%q: %q, %d hidden", message, got, n)
		}
		record := "password: " + shown
		if got, _ := m.Secrets(record, message); got != record {
			t.Errorf("of what was freed is made %q", got)
		}
		if got, n := m.Secrets("password: Other" + shown + "x, my password is Zebra99!"); n == 0 {
			t.Errorf("another secret is not hidden: %q", got)
		}
	}
	for _, message := range []string{
		"It's no secret that I hate Mondays, and the wifi password is Hunter2024", "to není heslo, klíč je sk-live_4eC39HqLyjWDarjtT1zdp7dc", "The wifi password is Hunter2024",
	} {
		if got, n := m.Typed(message); n == 0 {
			t.Errorf("a secret is not hidden: %q", got)
		}
	}
}
