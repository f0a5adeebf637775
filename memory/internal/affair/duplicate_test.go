package affair_test

import (
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/state"
)

func TestDuplicate(t *testing.T) {
	t.Parallel()
	const same, perhaps, another = "same", "perhaps", "another"
	tests := []struct{ name, candidate, existing, want string }{
		{"cs case, marks and ending", "Objednávka dílu z eBay", "objednavky dilu z ebay", same},
		{"cs the same words", "Pojištění auta", "pojisteni AUTA", same},
		{"cs other ending", "Reklamace pračky", "Reklamaci pračky", same},
		{"cs other object", "Pojištění auta", "Pojištění bytu", another},
		{"cs other number", "Faktura 4471", "Faktura 4472", another},
		{"cs same number", "Faktura 4471", "faktura 4471", same},
		{"cs one word more", "Objednávka dílu na Jeep z eBay", "Objednávka dílu z eBay", perhaps},
		{"cs nothing in common", "Dovolená v Chorvatsku", "Reklamace pračky", another},
		{"cs years", "Daňové přiznání 2025", "Daňové přiznání 2026", another},
		{"cs a person", "Narozeniny Jany", "Narozeniny Petra", another},
		{"cs no title", "Nová záležitost", "Nová záležitost", another},
		{"pl other ending", "Zamówienie części z eBay", "zamowienia czesci z ebay", same},
		{"pl other object", "Ubezpieczenie samochodu", "Ubezpieczenie mieszkania", another},
		{"pl other number", "Faktura nr 4471", "Faktura nr 4472", another},
		{"pl one word more", "Rejestracja na studia w Krakowie", "Rejestracja na studia", perhaps},
		{"pl nothing", "Wyjazd na narty", "Reklamacja butów", another},
		{"ru other ending", "Заказ детали с eBay", "заказа детали с ebay", same},
		{"ru other object", "Страховка машины", "Страховка квартиры", another},
		{"ru other number", "Счёт 4471", "Счёт 4472", another},
		{"ru yo", "Счёт за аренду", "Счет за аренду", same},
		{"ru nothing", "Поездка в Казань", "Возврат ботинок", another},
		{"en case", "Car insurance renewal", "car insurance renewal", same},
		{"en plural", "Invoices of the landlord", "Invoice of the landlord", same},
		{"en other object", "Car insurance", "Home insurance", another},
		{"en other number", "Invoice 4471", "Invoice 4472", another},
		{"en one word more", "Car insurance renewal 2026", "Car insurance renewal", perhaps},
		{"en nothing", "Trip to Rome", "Tax return", another},
		{"de case", "Kündigung der Wohnung", "kündigung der wohnung", same},
		{"empty", "", "Tax return", another},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			others := []*state.Affair{
				{ID: "x", Title: "Malování pokoje", Status: state.Parked},
				{ID: "old", Title: tt.existing, Status: state.Parked},
				{ID: "y", Title: "Kurz vaření", Status: state.Active},
			}
			id, similarity, sure := affair.Duplicate(state.Affair{Title: tt.candidate}, others)
			got := another
			switch {
			case id != "" && id != "old":
				got = "wrong: " + id
			case sure:
				got = same
			case id != "":
				got = perhaps
			}
			if got != tt.want {
				t.Errorf("Duplicate(%q, %q) = %s (%.2f), want %s", tt.candidate, tt.existing, got, similarity, tt.want)
			}
			if similarity < 0 || similarity > 1 {
				t.Errorf("similarity %v", similarity)
			}
		})
	}
}

func TestDuplicateByFacts(t *testing.T) {
	t.Parallel()
	order := func(number string) state.Facts { return state.Facts{{Label: "objednávka", Value: number}} }
	old := func() *state.Affair {
		return &state.Affair{ID: "old", Title: "Objednávka dílu z eBay", Status: state.Parked, KeyFacts: order("11-20344-77150"), Topics: []string{"ebay", "dil", "jeep"}}
	}
	tests := []struct {
		name      string
		candidate state.Affair
		id        string
		sure      bool
	}{
		{"another order with the same words", state.Affair{Title: "Objednávka dílu z eBay", KeyFacts: order("11-99999-00001")}, "", false},
		{"the same order in other words", state.Affair{Title: "Díl na jeep", KeyFacts: order("11-20344-77150")}, "old", true},
		{"no number yet", state.Affair{Title: "Objednávka dílu z eBay"}, "old", true},
		{"a number of another sort", state.Affair{Title: "Objednávka dílu z eBay", KeyFacts: state.Facts{{Label: "zásilka", Value: "DR1234567890C"}}}, "old", true},
		{"one common word, other topics", state.Affair{Title: "Objednávka", Topics: []string{"knih", "martinus"}}, "", false},
		{"itself", state.Affair{ID: "old", Title: "Objednávka dílu z eBay"}, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			id, similarity, sure := affair.Duplicate(tt.candidate, []*state.Affair{old()})
			if id != tt.id || sure != tt.sure {
				t.Errorf("Duplicate = %q %.2f %v, want %q %v", id, similarity, sure, tt.id, tt.sure)
			}
		})
	}
}

func TestOneCommonWordIsNotSure(t *testing.T) {
	t.Parallel()
	old := state.Affair{ID: "old", Title: "Objednávka", Status: state.Parked, Topics: []string{"ebay", "jeep", "dil"}}
	if _, _, sure := affair.Duplicate(state.Affair{Title: "Objednávka", Topics: []string{"knih", "martinus", "kuchark"}}, []*state.Affair{&old}); sure {
		t.Error("two orders of other things are surely the same")
	}
	if _, _, sure := affair.Duplicate(state.Affair{Title: "Objednávka", Topics: []string{"ebay", "jeep"}}, []*state.Affair{&old}); !sure {
		t.Error("two orders of the same thing are not the same")
	}
}
