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
