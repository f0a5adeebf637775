package affair_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/state"
)

// talk makes messages of lines "user text", "assistant text" or "tool text"; a line without a role is the user's.
func talk(lines ...string) []state.Message {
	out := make([]state.Message, len(lines))
	for i, l := range lines {
		out[i] = state.Message{Role: state.RoleUser, Text: l}
		for _, role := range []state.Role{state.RoleUser, state.RoleAssistant, state.RoleTool} {
			if rest, ok := strings.CutPrefix(l, string(role)+" "); ok {
				out[i] = state.Message{Role: role, Text: rest}
			}
		}
	}
	return out
}

func learnt(lang string, lines ...string) state.Affair {
	var a state.Affair
	for _, m := range talk(lines...) {
		a = affair.Learn(a, m, lang)
	}
	return a
}

func TestLearnFacts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, lang string
		said       []string
		want       string
	}{
		{"cs an order told in two messages", "cs", []string{"Objednávka č. 4471 je na cestě.", "Cena byla 990 Kč, dorazí 20. 2."}, "objednávka=4471 cena=990 Kč doručení=20. 2."},
		{"cs told twice", "cs", []string{"Objednávka č. 4471.", "Ta objednávka č. 4471 ještě nepřišla."}, "objednávka=4471"},
		{"cs another order", "cs", []string{"Objednávka č. 4471.", "A druhá objednávka č. 4472."}, "objednávka=4471"},
		{"cs three orders and the second again", "cs", []string{"Objednávka č. 4471.", "Objednávka č. 4472.", "Objednávka č. 4473.", "Objednávka č. 4472 přišla."}, "objednávka=4471"},
		{"cs a moved day", "cs", []string{"Zubař má termín 5. 3. v 9:00.", "Termín přesunuli na 7. 3. v 10:00."}, "termín (zubař)=7. 3. v 10:00"},
		{"cs denied, supposed, heard, told of another time, asked", "cs", []string{"Neplatí to 5. 3.", "Stálo by to 900 Kč.", "Prý dorazí 7. 3.", "Původně stál 800 Kč.", "Bude to 8. 3.?", "Dorazí 9. 3. nebo 10. 3."}, ""},
		{"en denied, supposed, heard, told of another time", "en", []string{"It is not due on March 5.", "It would cost $900.", "Apparently it arrives on March 7.", "Originally it was $800."}, ""},
		{"pl denied, supposed, heard, told of another time", "pl", []string{"To nie będzie 5 marca.", "Kosztowałoby to może 900 zł.", "Podobno przyjdzie 7 marca.", "Pierwotnie było 800 zł."}, ""},
		{"ru denied, supposed, heard, told of another time", "ru", []string{"Доставка не 5 марта.", "Стоило бы 900 рублей.", "Вроде придёт 7 марта.", "Раньше стоило 800 рублей."}, ""},
		{"cs only today says which day", "cs", []string{"Přijdou zítra v 17.", "Hotovo bude příští týden."}, ""},
		{"cs another phone may be another person's", "cs", []string{"Tel. 777 123 456", "Tel. 777 123 457"}, "telefon=777 123 456"},
		{"cs another price without a word", "cs", []string{"Díl za 990 Kč.", "A ještě rukavice za 120 Kč."}, "cena=990 Kč"},
		{"cs a corrected price", "cs", []string{"Cena je 990 Kč.", "Oprava, cena je 1 090 Kč."}, "cena=1 090 Kč"},
		{"cs a question states nothing", "cs", []string{"Stojí to 990 Kč?", "Dorazí to 20. 2.?"}, ""},
		{"cs a question with a number", "cs", []string{"Kde je objednávka č. 4471?"}, "objednávka=4471"},
		{"cs the assistant adds", "cs", []string{"Objednávka č. 4471.", "assistant Dorazí 20. 2."}, "objednávka=4471 doručení=20. 2."},
		{"cs the assistant does not change", "cs", []string{"Dorazí 20. 2.", "assistant Dorazí 25. 2."}, "doručení=20. 2."},
		{"a tool is not read", "cs", []string{"tool Objednávka č. 4471"}, ""},
		{"cs a train that is late", "cs", []string{"Příjezd mamky v 8:40.", "Příjezd má zpoždění, v 9:10."}, "příjezd=9:10"},
		{"cs what has ended does not come back", "cs", []string{"Příjezd mamky v 8:40.", "Příjezd má zpoždění, v 9:10.", "Příjezd mamky v 8:40."}, "příjezd=9:10"},
		{"cs a ticket is no train", "cs", []string{"Mamka přijede vlakem v 8:40.", "Oprava kola bude za 650 Kč."}, "cena=650 Kč"},
		{"cs a new time of the same thing", "cs", []string{"vojta jede se třídou do jedovnic, odjezd v 7:45 od školy", "odjezd změnili na 8:15"}, "odjezd=8:15"},
		{"en no sentence is a value", "en", []string{"The plumber can come on Thursday after four."}, ""},
		{"en a size in feet is no price", "en", []string{"The shed is 13 ft long."}, ""},
		{"pl an order", "pl", []string{"Zamówienie nr 998877, 99,90 zł.", "Dostawa 20 lutego, ul. Długa 5, Warszawa."}, "zamówienie=998877 cena=99,90 zł dostawa=20 lutego adres=ul. Długa 5, Warszawa"},
		{"pl another invoice", "pl", []string{"Faktura nr 4471.", "Faktura nr 4472."}, "faktura=4471"},
		{"pl a moved visit", "pl", []string{"Wizyta 5 marca o 9:00.", "Wizyta przełożona na 7 marca o 10:00."}, "wizyta=7 marca o 10:00"},
		{"ru an order", "ru", []string{"Заказ № 4471, цена 4 500 руб.", "Доставка 20 февраля."}, "заказ=4471 цена=4 500 руб. доставка=20 февраля"},
		{"ru another account", "ru", []string{"Счёт № 12345.", "Счёт № 12346."}, "счёт=12345"},
		{"ru a moved meeting", "ru", []string{"Встреча 5 марта в 14:30.", "Встречу перенесли, встреча 6 марта в 15:00."}, "встреча=6 марта в 15:00"},
		{"en an order", "en", []string{"My order number is 112-3456789-1234567.", "The total was $41.20, delivery on March 5."}, "order number=112-3456789-1234567 total=$41.20 delivery=March 5"},
		{"en two invoices at once", "en", []string{"Invoices 4471 and 4472 are unpaid."}, "invoice=4471"},
		{"en a new dentist", "en", []string{"My dentist is Dr. Brown.", "My dentist is Dr. Green."}, "dentist=Dr. Green"},
		{"en a link told twice", "en", []string{"See https://example.com/a", "Again https://example.com/a"}, "link=https://example.com/a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range learnt(tt.lang, tt.said...).KeyFacts {
				got = append(got, f.Label+"="+f.Value)
			}
			if g := strings.Join(got, " "); g != tt.want {
				t.Errorf("key facts\n%s, want\n%s", g, tt.want)
			}
		})
	}
}

func TestLearnPending(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, lang string
		said       []string
		want       []string
	}{
		{"cs stated", "cs", []string{"Musím poslat přepis známek do pátku."}, []string{"poslat přepis známek do pátku"}},
		{"cs stated twice", "cs", []string{"Musím poslat přepis známek.", "Nezapomeň, že musím poslat přepis známek."}, []string{"poslat přepis známek"}},
		{"cs settled", "cs", []string{"Musím poslat přepis známek.", "Přepis známek jsem poslal."}, nil},
		{"cs another stays", "cs", []string{"Musím poslat přepis známek.", "Musím zaplatit nájem.", "Nájem jsem zaplatil."}, []string{"poslat přepis známek"}},
		{"cs only done", "cs", []string{"Musím zavolat na úřad.", "Hotovo."}, nil},
		{"cs done with two open", "cs", []string{"Musím zavolat na úřad.", "Musím zaplatit nájem.", "Hotovo."}, []string{"zavolat na úřad", "zaplatit nájem"}},
		{"cs a question settles nothing", "cs", []string{"Musím zaplatit nájem.", "Zaplatil jsem nájem?"}, []string{"zaplatit nájem"}},
		{"pl settled", "pl", []string{"Muszę wysłać świadectwo.", "Wysłałem świadectwo."}, nil},
		{"ru settled", "ru", []string{"Нужно оплатить аренду.", "Я оплатил аренду."}, nil},
		{"en settled", "en", []string{"I need to pay the rent.", "I have paid the rent."}, nil},
		{"en open", "en", []string{"I need to pay the rent.", "The rent is too high."}, []string{"pay the rent"}},
		{"en a month before it", "en", []string{"The licence ends on January 15, I have to renew it."}, []string{"renew it January 15"}},
		{"en a month at the beginning", "en", []string{"March 3 is the last day, I have to renew it."}, []string{"renew it March 3"}},
		{"en a phrase at the beginning", "en", []string{"By March 3 I have to renew it."}, []string{"renew it by March 3"}},
		{"cs a phrase at the beginning", "cs", []string{"Do 5. března musím zaplatit nájem."}, []string{"zaplatit nájem do 5. března"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := learnt(tt.lang, tt.said...).PendingActions
			same(t, "got", tt.want, got, cmpopts.EquateEmpty())
		})
	}
}

func TestLearnKeepsItsInput(t *testing.T) {
	t.Parallel()
	a := learnt("cs", "Objednávka č. 4471, musím zavolat na úřad.")
	before := fmt.Sprint(a)
	affair.Learn(a, talk("Termín je 5. 3., objednávka č. 4472, hotovo, jeep")[0], "cs")
	if after := fmt.Sprint(a); after != before {
		t.Errorf("the affair changed from\n%s to\n%s", before, after)
	}
}

func TestLearnIsBounded(t *testing.T) {
	t.Parallel()
	var a state.Affair
	for i := range 300 {
		a = affair.Learn(a, talk(fmt.Sprintf("Objednávka č. %d, musím vyřídit reklamaci%d a zavolat doktora%d", 10000+i, i, i))[0], "cs")
	}
	if len(a.KeyFacts) > 100 || len(a.PendingActions) > 10 || len(a.Topics) > 12 {
		t.Errorf("%d facts, %d actions, %d topics", len(a.KeyFacts), len(a.PendingActions), len(a.Topics))
	}
	labels := map[string]bool{}
	for _, f := range a.KeyFacts {
		if labels[f.Label] {
			t.Fatalf("label %q twice", f.Label)
		}
		labels[f.Label] = true
	}
}
