package personal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/state"
)

// found is a Fact but for the words that say it.
type found struct {
	Property, Label, Value string
	One                    bool
}

func TestFind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []found
	}{
		// said of oneself
		{"I'm allergic to peanuts, so no satay please.", []found{{"allergy", "allergy", "peanuts", false}}},
		{"We need a menu for twelve. By the way, I am allergic to peanuts and shellfish.", []found{{"allergy", "allergy", "peanuts and shellfish", false}}},
		{"I have a nut allergy", []found{{"allergy", "allergy", "nut", false}}},
		{"fine, but I don't eat pork", []found{{"diet", "food", "pork", false}}},
		{"I'm vegetarian.", []found{{"diet", "diet", "I'm vegetarian", true}}},
		{"Send it there, I live at 12 Elm Street, Springfield, and ring twice", []found{{"address", "address", "12 Elm Street, Springfield", true}}},
		{"my address is 12 Elm Street", []found{{"address", "address", "12 Elm Street", true}}},
		{"My birthday is on 5 May", []found{{"birthday", "birthday", "5 May", true}}},
		{"My dog Rex comes along", []found{{"pet", "dog", "Rex", false}}},
		{"my dog's name is Rex.", []found{{"pet", "dog", "Rex", false}}},
		{"I have a dog called Rex", []found{{"pet", "dog", "Rex", false}}},
		{"my son Julian will fetch me", []found{{"family", "son", "Julian", false}}},
		{"I work as a nurse", []found{{"job", "job", "nurse", true}}},
		{"my phone number is +420 600 200 311, call after four", []found{{"phone", "phone", "+420 600 200 311", true}}},
		{"my email is ann@example.com", []found{{"e-mail", "e-mail", "ann@example.com", true}}},
		{"my work phone is 020 7946 0000", []found{{"phone", "work phone", "020 7946 0000", true}}},
		{"my work email is ann@example.com", []found{{"e-mail", "work e-mail", "ann@example.com", true}}},
		{"Můj pracovní e-mail je ann@example.com", []found{{"e-mail", "pracovní e-mail", "ann@example.com", true}}},
		{"Můj služební mobil je 600 200 311", []found{{"phone", "pracovní telefon", "600 200 311", true}}},
		{"Mój telefon służbowy to 600 200 311", []found{{"phone", "telefon służbowy", "600 200 311", true}}},
		{"Мой рабочий телефон 600 200 311", []found{{"phone", "рабочий телефон", "600 200 311", true}}},
		{"Моя рабочая почта ann@example.com", []found{{"e-mail", "рабочая почта", "ann@example.com", true}}},
		{"My native language is Polish.", []found{{"language", "language", "Polish", false}}},
		{"Mám alergii na arašídy.", []found{{"allergy", "alergie", "arašídy", false}}},
		{"jo mam alergii na penicilin, to mu musim rict hlavne", []found{{"allergy", "alergie", "penicilin", false}}},
		{"Jsem alergická na kočky a na pyl, proto hotel bez zvířat", []found{{"allergy", "alergie", "kočky a na pyl", false}}},
		{"nejím maso, takže něco bez něj", []found{{"diet", "jídlo", "maso", false}}},
		{"Bydlím v Brně, Lipová 5, a vrátný bere balíky", []found{{"address", "adresa", "Brně, Lipová 5", true}}},
		{"Narozeniny mám 5. května.", []found{{"birthday", "narozeniny", "5. května", true}}},
		{"Můj pes Rex jede taky", []found{{"pet", "pes", "Rex", false}}},
		{"můj pes se jmenuje Rex", []found{{"pet", "pes", "Rex", false}}},
		{"moje žena Alena tam má něco s důchodem", []found{{"family", "žena", "Alena", false}}},
		{"pracuju jako zdravotní sestra", []found{{"job", "zaměstnání", "zdravotní sestra", true}}},
		{"můj telefon je 600 200 311", []found{{"phone", "telefon", "600 200 311", true}}},
		{"Jestem uczulona na orzechy, proszę o inny tort", []found{{"allergy", "alergia", "orzechy", false}}},
		{"mam uczulenie na ketonal", []found{{"allergy", "alergia", "ketonal", false}}},
		{"Nie jem ryb, więc dietę trzeba zgłosić", []found{{"diet", "jedzenie", "ryb", false}}},
		{"Mieszkam w Krakowie, ul. Długa 7", []found{{"address", "adres", "Krakowie", true}}},
		{"moje urodziny są 12 maja", []found{{"birthday", "urodziny", "12 maja", true}}},
		{"Mój pies nazywa się Burek", []found{{"pet", "pies", "Burek", false}}},
		{"moja żona Bożena nie wie", []found{{"family", "żona", "Bożena", false}}},
		{"że biorę bisoprolol 2 mg rano", []found{{"medication", "lek", "bisoprolol 2 mg", false}}},
		{"pracuję jako księgowa", []found{{"job", "praca", "księgowa", true}}},
		{"У меня аллергия на арахис.", []found{{"allergy", "аллергия", "арахис", false}}},
		{"я не ем мясо, если что", []found{{"diet", "еда", "мясо", false}}},
		{"Живу в Казани, на Баумана 5", []found{{"address", "адрес", "Казани", true}}},
		{"мой день рождения 5 мая", []found{{"birthday", "день рождения", "5 мая", true}}},
		{"Моя собака Бак хромает", []found{{"pet", "собака", "Бак", false}}},
		{"мою собаку зовут Бак", []found{{"pet", "собака", "Бак", false}}},
		{"моя жена Оксана против", []found{{"family", "жена", "Оксана", false}}},
		{"Принимаю лозартан 50 мг утром, это врачу тоже сообщить?", []found{{"medication", "лекарство", "лозартан 50 мг", false}}},
		{"мой телефон 89035551234", []found{{"phone", "телефон", "89035551234", true}}},
		// an affair's, somebody else's, asked, denied or supposed
		{"The venue's address is 12 Elm Street.", nil},
		{"The hotel is at 5 King Street, phone 600 200 311", nil},
		{"Petr is allergic to nuts", nil},
		{"Am I allergic to penicillin?", nil},
		{"I'm not allergic to cats", nil},
		{"what if I am allergic to peanuts", nil},
		{"her birthday is on 5 May", nil},
		{"I don't eat out much", nil},
		{"I live in hope", nil},
		{"my son will fetch me", nil},
		{`the form says "I am allergic to nuts"`, nil},
		{"Adresa hotelu je Lipová 5, Brno", nil},
		{"nejsem alergický na kočky", nil},
		{"Jsem alergický na penicilin?", nil},
		{"Petr má alergii na ořechy", nil},
		{"když jsem alergický na ořechy, co pak", nil},
		{"moje žena přijde v pět", nil},
		{"Adres restauracji to Długa 7", nil},
		{"nie jestem uczulona wiec biore ją w ciemno", nil},
		{"pracuje jako księgowa", nil},
		{"Ona jest uczulona na koty", nil},
		{"адрес ресторана Баумана 5", nil},
		{"У сына аллергия на орехи", nil},
		{"если у меня аллергия на арахис", nil},
		{"живу в ожидании", nil},
		{"", nil},
	} {
		var got []found
		for _, f := range Find(c.text) {
			got = append(got, found{f.Property, f.Label, f.Value, f.One})
			if !strings.Contains(c.text, f.Said) || f.Said == "" {
				t.Errorf("Find(%q): nobody said %q", c.text, f.Said)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("Find(%q) (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind             state.RecordKind
		subject, content string
		want             bool
	}{
		{state.FactRecord, "allergy", "allergic to peanuts", true},
		{state.FactRecord, "allergies", "Peanuts and shellfish", true},
		{state.FactRecord, "food", "User is allergic to peanuts.", true},
		{state.FactRecord, "peanuts", "I'm allergic to peanuts", true},
		{state.FactRecord, "dog's name", "Rex", true},
		{state.FactRecord, "dog", "The user's dog is called Rex", true},
		{state.ContactRecord, "home address", "12 Elm Street", true},
		{state.ContactRecord, "address", "The user lives at 12 Elm Street", true},
		{state.ContactRecord, "phone", "my phone number is 600 200 311", true},
		{state.FactRecord, "birthday", "5 May", true},
		{state.PreferenceRecord, "tone", "short answers", true},
		{state.FactRecord, "alergie", "arašídy", true},
		{state.FactRecord, "jídlo", "Uživatel má alergii na arašídy", true},
		{state.FactRecord, "jméno psa", "Rex", true},
		{state.ContactRecord, "bydliště", "Lipová 5, Brno", true},
		{state.FactRecord, "uczulenie", "orzechy", true},
		{state.FactRecord, "jedzenie", "Użytkownik jest uczulony na orzechy", true},
		{state.FactRecord, "imię psa", "Burek", true},
		{state.FactRecord, "urodziny", "12 maja", true},
		{state.FactRecord, "аллергия", "арахис", true},
		{state.FactRecord, "еда", "У пользователя аллергия на арахис", true},
		{state.FactRecord, "кличка собаки", "Бак", true},
		{state.FactRecord, "день рождения", "Мой день рождения 5 мая", true},

		{state.ContactRecord, "address", "Lipová 5, Brno", false},
		{state.ContactRecord, "venue address", "12 Elm Street", false},
		{state.ContactRecord, "hotel phone", "600 200 311", false},
		{state.FactRecord, "Petr's allergy", "nuts", false},
		{state.FactRecord, "allergy", "Petr cannot eat nuts, and Petr told so", false},
		{state.FactRecord, "guests", "two of them are allergic to nuts", false},
		{state.FactRecord, "order", "07-14244-53150", false},
		{state.OrderRecord, "allergy test", "ordered for Monday", false},
		{state.DeadlineRecord, "birthday present", "by 5 May", false},
		{state.FactRecord, "birthday cake", "chocolate, two floors", false},
		{state.FactRecord, "delivery", "The user wants it on Friday", false},
		{state.ContactRecord, "adresa", "Lipová 5, Brno", false},
		{state.ContactRecord, "adresa restaurace", "Lipová 5", false},
		{state.FactRecord, "alergie hostů", "ořechy", false},
		{state.ContactRecord, "telefon na doktora", "600 200 311", false},
		{state.ContactRecord, "adres hotelu", "Długa 7", false},
		{state.FactRecord, "alergia gości", "orzechy", false},
		{state.ContactRecord, "адрес", "Баумана 5", false},
		{state.ContactRecord, "телефон врача", "89035551234", false},
		{state.FactRecord, "аллергия гостей", "орехи", false},
	} {
		if got := Of(c.kind, c.subject, c.content); got != c.want {
			t.Errorf("Of(%s, %q, %q) = %v, want %v", c.kind, c.subject, c.content, got, c.want)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("I'm allergic to peanuts, „so\" my dog Rex\n…")
	f.Fuzz(func(t *testing.T, s string) {
		for _, fact := range Find(s) {
			if fact.Label == "" || fact.Value == "" {
				t.Errorf("Find(%q) holds %+v", s, fact)
			}
		}
	})
}

// TestListsAreRead makes sure that every line of a list can be used.
func TestListsAreRead(t *testing.T) {
	t.Parallel()
	if _, err := readPatterns(files); err != nil {
		t.Error(err)
	}
}
