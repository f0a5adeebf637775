package extract

import "testing"

func TestSlot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ subject, content, want string }{
		{"", "I live in Leeds", "address"},
		{"GP", "GP: Dr Patel (I've changed doctors, my GP is Dr Patel now.)", "doctor"},
		{"telefon", "Můj telefon je 601 111 222", "telefon"},
		{"", "Mieszkam w Toruniu", "adres"},
		{"", "Мой банк теперь Альфа-банк", "банк"},
		{"", "I have my account with Lloyds", ""},                   // there may be others
		{"", "My phone is 601 111 222 and I live in Leeds", ""},     // two slots
		{"", "My brother lives in Leeds", ""},                       // not the user's
		{"", "If I lived in Leeds I would sail more", ""},           // not so
		{"", "Do I live in Leeds?", ""},                             // not said
		{"brother", "Kdybych bydlel v Brně, jezdil bych lodí.", ""}, // not so
	} {
		if got := Slot(c.subject, c.content); got != c.want {
			t.Errorf("Slot(%q, %q) = %q, want %q", c.subject, c.content, got, c.want)
		}
	}
}

func TestOverrules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		next, old string
		want      bool
	}{
		{"Never send invoices as PDF, my accountant can't read them", "Always send invoices as PDF", true},
		{"Always send invoices as PDF after all", "Never send invoices as PDF", true},
		{"Never send invoices by post", "Always send invoices as PDF", false}, // both can hold
		{"Never schedule meetings before 10 am", "Never schedule meetings before 9 am", true},
		{"Never schedule meetings before 10 am", "Never schedule calls before 9 am", false},
		{"Nikdy neposílej faktury v PDF", "Faktury posílej vždy v PDF", true},
		{"Nikdy mi neplánuj schůzky před desátou", "Nikdy mi neplánuj schůzky před devátou", true},
		{"Nigdy nie wysyłaj faktury w PDF", "Zawsze wysyłaj faktury w PDF", true},
		{"Никогда не отправляй счета в PDF", "Всегда отправляй счета в PDF", true},
		{"From now on invoices go out on paper only", "always send invoices as PDF after all", true},
		{"From now on payslips go out on paper only", "Always send invoices as PDF", false},
		{"Send invoices on paper too", "Always send invoices as PDF", false},
		{"Счета отправляем только на бумаге", "Всегда отправляй счета в PDF", true},
		{"", "Always send invoices as PDF", false},
	} {
		if got := Overrules(c.next, c.old); got != c.want {
			t.Errorf("Overrules(%q, %q) = %t", c.next, c.old, got)
		}
	}
}

// TestContrast makes sure that a known value ends only by the user's own change of it, and that a thing of another kind is another thing.
func TestContrast(t *testing.T) {
	t.Parallel()
	known := []Known{{"car", "car: Vauxhall Astra"}, {"job", "job: Tesco"}, {"phone", "phone: 07700 900111"}, {"drink", "drink: I drink coffee"}, {"daughter", "daughter: Sophie"}, {"van", "van: Ford Transit"}}
	for _, c := range []struct{ said, old string }{
		{"The Astra finally died and I'm driving a Toyota Yaris.", "car: Vauxhall Astra"},
		{"I left Tesco, I work at Aldi now.", "job: Tesco"},
		{"I gave up coffee, now I drink cocoa.", "drink: I drink coffee"},
		{"My brother sold his Astra, he drives a Yaris now.", ""},
		{"I left Tesco early today, the traffic was awful.", ""},
		{"I left Tesco at five, the traffic was awful.", ""},
		{"If I sold the Astra, I would buy a Yaris.", ""},
		{"Should I sell the Astra, or is a Yaris no better now?", ""},
		{"My work phone is 07700 900222.", ""},
		{"Sophie has left for Leeds, we miss her now.", ""},
		{"I left Tesco.", ""},
		{"I quit banking for good and now I work for Oxfam.", ""},
	} {
		old := ""
		for _, f := range Facts([]string{c.said}, "en", known...) {
			old += f.Old
		}
		if old != c.old {
			t.Errorf("%q ends %q, want %q", c.said, old, c.old)
		}
	}
}
