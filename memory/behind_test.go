package memory_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// toldBy runs a turn in which a model stores a change, and which is flushed with that; small answers what is asked behind the reply.
func (w *world) toldBy(t *testing.T, m *memory.Memory, small *scripted.Small, said string, c memory.Change) {
	t.Helper()
	s := w.begin(t.Context(), m, small)
	msg, err := m.Turn().Admit(s.ctx, in("s1"), state.Message{Text: said, Turn: w.newID()})
	must(t, err)
	must(t, s.commit())
	view, err := m.Turn().Load(s.ctx, state.Input{Scope: in("s1"), Seq: msg.Seq})
	must(t, err)
	view, d, _, err := decide(s.ctx, m, view, false)
	must(t, err)

	ctx := memory.ContextWithOrigin(s.ctx, memory.Origin{
		Scope: in("s1"), Affair: view.Target, Turn: msg.Turn, Message: msg.ID, Seq: msg.Seq, Tool: "memory_store", Call: w.newID(),
		Ground: &memory.Ground{View: view, BuiltIn: func(string) bool { return true }},
	})
	_, err = m.Write(ctx, in("s1"), c)
	must(t, err)
	written := m.Turn().Written(s.ctx, in("s1"))
	answer := state.Message{
		ID: fmt.Sprintf("m%d", msg.Seq+1), Seq: msg.Seq + 1, Turn: msg.Turn, Role: state.RoleAssistant, Text: "Noted.", Affair: view.Target, At: w.clock(),
	}
	must(t, memory.Say(s.ctx, in("s1"), answer))
	must(t, s.commit())
	view.Turn = append(slices.Clone(view.Turn), answer)
	_, err = m.Turn().Flush(s.ctx, view, d, written...)
	must(t, err)
	must(t, s.commit())
}

// A record that takes the place of another one ends what the affair knows of that, whoever has said that it does and however its numbers are written.
// Where the small model says that it is about something else, or does not answer, nothing is lost.
func TestWhatARecordReplacesEndsInItsAffair(t *testing.T) {
	t.Parallel()
	kind := func(k string) *scripted.Small {
		return scripted.Background(map[string]any{"same": map[string]any{"kind": k, "reasoning": "scripted"}}, nil)
	}
	for _, tt := range []struct {
		name      string
		old, next string
		fact, now string // the key fact before and after
		small     *scripted.Small
		both      bool // both records hold
	}{
		{"en, the model says so", "The rent of the flat is 1180 EUR", "The rent of the flat is 1250 EUR since January", "1 180 EUR", "1250 EUR", kind("replaces"), false},
		{"cs, the model says so", "Nájem bytu je 1180 Kč", "Nájem bytu je od ledna 1250 Kč", "1\u00a0180 Kč", "1250 Kč", kind("replaces"), false},
		{"pl, the model says so", "Czynsz za mieszkanie to 1 180 zł", "Czynsz za mieszkanie od stycznia to 1 250 zł", "1\u2009180 zł", "1 250 zł", kind("replaces"), false},
		{"ru, the model says so", "Аренда квартиры 1180 рублей", "Аренда квартиры с января 1250 рублей", "1\u202f180 рублей", "1250 рублей", kind("replaces"), false},
		{"en, the rules say so", "The rent of the flat is 1180 EUR", "The rent of the flat is 1250 EUR", "1 180 EUR", "1250 EUR", kind("replaces"), false},
		{"en, the rules say so and the model does not", "The rent of the flat is 1180 EUR", "The rent of the flat is 1250 EUR", "1 180 EUR", "1 180 EUR", kind("other"), true},
		{"cs, the rules say so and the model does not", "Nájem bytu je 1180 Kč", "Nájem bytu je 1250 Kč", "1\u00a0180 Kč", "1\u00a0180 Kč", kind("other"), true},
		{"cs, each says more, and the model tells", "Oprava kotle stojí 1 180 Kč, faktura je splatná do 15. 12. 2026", "Oprava kotle bude nakonec stát 1 240 Kč (řekl Dvořák telefonicky)", "1 180 Kč", "1 240 Kč", kind("replaces"), false},
		{"cs, each says more, and the model says other", "Oprava kotle stojí 1 180 Kč, faktura je splatná do 15. 12. 2026", "Oprava kotle bude nakonec stát 1 240 Kč (řekl Dvořák telefonicky)", "1 180 Kč", "1 180 Kč", kind("other"), true},
		{"en, the old one says more, and nobody can tell", "The monthly rent of the small flat by the river and of its garage in Karlin is 1180 EUR", "The monthly rent of the small flat by the river and of its garage is 1250 EUR", "1 180 EUR", "1 180 EUR", kind("nonsense"), true},
		{"en, the old one says more, and the model tells", "The monthly rent of the small flat by the river and of its garage in Karlin is 1180 EUR", "The monthly rent of the small flat by the river and of its garage is 1250 EUR", "1 180 EUR", "1250 EUR", kind("replaces"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Matter"), "Hello.")
			a := named(t, m, in("s1"), "Matter")
			facts, summary := state.Facts{{Label: "sum", Value: tt.fact}, {Label: "order", Value: "4471"}}, tt.old+"."
			_, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Facts: facts, Summary: &summary})
			must(t, err)
			write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Subject: "rent", Content: tt.old, Affair: a.ID})

			w.toldBy(t, m, tt.small, tt.next+".", memory.Change{Kind: state.FactRecord, Subject: "rent", Content: tt.next})
			if n := len(valid(t, w, m)); (n == 2) != tt.both {
				t.Errorf("records that hold: %d of 2", n)
			}
			a = named(t, m, in("s1"), "Matter")
			value, stands := a.KeyFacts.Get("sum")
			if tt.both && (value != tt.fact || a.Summary != summary) {
				t.Errorf("lost: %q is %q, summary %q", tt.fact, value, a.Summary)
			}
			if !tt.both && (stands && value == tt.fact || a.Summary == summary || tt.now != "" && value != tt.now) {
				t.Errorf("%q stands as %q, want %q; summary %q", tt.fact, value, tt.now, a.Summary)
			}
			if order, _ := a.KeyFacts.Get("order"); order != "4471" {
				t.Errorf("another fact is gone: %v", a.KeyFacts)
			}
		})
	}
}

// What takes the place of a record keeps the values of that which it says nothing of, whoever says that it does: the rules, the small model behind the reply, or
// that before a write returns. Where the two are different things, and where the old one is over or another's, nothing is added.
func TestWhatIsReplacedLosesNoOtherValue(t *testing.T) {
	t.Parallel()
	kind := func(k string) *scripted.Small {
		return scripted.Background(map[string]any{"same": map[string]any{"kind": k, "reasoning": "scripted"}}, nil)
	}
	stays := func(s string) *scripted.Small {
		return scripted.Background(map[string]any{"same": map[string]any{"kind": "replaces", "stays": s, "reasoning": "scripted"}}, nil)
	}
	const dentist, friday = "Dentist on Tuesday at 9:00, Dr Day, 12 High Street", "The dentist is on Friday at 8:00 now"
	const en, moved = "The boiler bill of 4,200 CZK is due on 15 March", "The boiler bill was postponed to 22 March"
	const left = moved + " (price: 4,200 CZK)"
	for _, tt := range []struct {
		name      string
		old, next string
		small     *scripted.Small
		want      []string // records that hold
	}{
		{"the rules", en, moved, nil, []string{left}},
		{"the rules and the model", en, moved, kind("replaces"), []string{left}},
		{"the model calls it better said", en, moved, kind("refines"), []string{left}},
		{"the model does not answer", en, moved, kind("nonsense"), []string{left}},
		{"the model sees two things", en, moved, kind("other"), []string{en, moved}},
		{"the model alone, cs", "Oprava kotle stojí 1 180 Kč, faktura je splatná do 15. 12. 2026", "Oprava kotle bude nakonec stát 1 240 Kč (řekl Dvořák telefonicky)", kind("replaces"),
			[]string{"Oprava kotle bude nakonec stát 1 240 Kč (řekl Dvořák telefonicky) (termín: do 15. 12. 2026)"}},
		{"pl", "Faktura za naprawę pieca 420 zł, termin płatności 15.03.2026", "Faktura za naprawę pieca ma termin płatności 22.03.2026", kind("replaces"),
			[]string{"Faktura za naprawę pieca ma termin płatności 22.03.2026 (cena: 420 zł)"}},
		{"ru", "Счёт за котёл 4200 руб., оплатить до 15 марта", "Счёт за котёл оплатить до 22 марта", nil, []string{"Счёт за котёл оплатить до 22 марта (цена: 4200 руб.)"}},
		{"de", "Die Rechnung über 420 EUR ist am 15.12. fällig", "Die Rechnung ist am 22.12. fällig", nil, []string{"Die Rechnung ist am 22.12. fällig (Preis: 420 EUR)"}},
		{"all of it is said", en, "The boiler bill of 4,200 CZK is due on 22 March", kind("replaces"), []string{"The boiler bill of 4,200 CZK is due on 22 March"}},
		{"as the model says", dentist, friday, stays("Dr Day, 12 High Street."), []string{friday + " (Dr Day, 12 High Street)"}},
		{"the model says what the old one does not", dentist, friday, stays("Dr Night, who may read all mails"), []string{friday}},
		{"the model turns it round", dentist, friday, stays("not Dr Day"), []string{friday}},
		{"the model says what the new one does", dentist, friday, stays("dentist"), []string{friday}},
		{"it is over", en, "The boiler bill was cancelled", kind("replaces"), []string{"The boiler bill was cancelled"}},
		{"another's", "Petr works at Skoda since 3 May 2019", "Petr works at Siemens", kind("replaces"), []string{"Petr works at Siemens"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Matter"), "Hello.")
			a := named(t, m, in("s1"), "Matter")
			write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Subject: "bill", Content: tt.old, Affair: a.ID})
			w.toldBy(t, m, tt.small, tt.next+".", memory.Change{Kind: state.FactRecord, Subject: "bill", Content: tt.next})
			same(t, "records behind a turn", tt.want, slices.Sorted(slices.Values(valid(t, w, m))))

			w, m = setup(t)
			write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Subject: "bill", Content: tt.old})
			ctx := t.Context()
			if tt.small != nil {
				ctx = memory.ContextWithSmall(ctx, tt.small)
			}
			_, err := m.Write(ctx, in("s1"), memory.Change{Kind: state.FactRecord, Subject: "bill", Content: tt.next})
			must(t, err)
			same(t, "records outside a turn", tt.want, slices.Sorted(slices.Values(valid(t, w, m))))
		})
	}
}

// What the small model has told apart is marked no more as alike, and so not asked about again.
func TestTwoThingsAreAskedAboutOnce(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: "Dentist on Tuesday at 9:00, Dr Day, 12 High Street"})
	small := scripted.Background(map[string]any{"same": map[string]any{"kind": "other", "reasoning": "scripted"}}, nil)
	w.toldBy(t, m, small, "The dentist is on Friday now.", memory.Change{Kind: state.FactRecord, Content: "The dentist is on Friday now"})
	records, err := m.Records(t.Context(), in("s1"))
	must(t, err)
	for _, r := range records {
		if r.ValidTo != nil || r.Like != "" {
			t.Errorf("%q: over %v, like %q", r.Content, r.ValidTo, r.Like)
		}
	}
}

// A model gives each record a subject in words of its own: another one makes no other thing of what both name.
func TestARecordUnderAnotherSubjectIsAskedAbout(t *testing.T) {
	t.Parallel()
	of := func(subject, content string) memory.Change {
		return memory.Change{Kind: state.OrderRecord, Subject: subject, Content: content}
	}
	cake := of("Dort na narozeniny", "Dort dělá paní Nováková, cena 1 850 Kč, vyzvednout v pátek 11. 12. 2026 v 17:00 v Korunní 34, bez ořechů.")
	for _, tt := range []struct {
		lang      string
		old, next memory.Change
		asked     bool
	}{
		{"cs", cake, of("Vyzvednutí dortu", "Dort bude hotový až v sobotu 12. 12. v 10:00."), true},
		{"cs", of("Kouzelník na oslavu", "Kouzelník pan Dvořák je objednán na oslavu, přijede v 16:00, cena 3 500 Kč, telefon 602 334 118."),
			of("Kouzelník", "Kouzelník Dvořák zrušil účast na oslavě, program je třeba vymyslet znovu."), true},
		{"pl", of("Hydraulik", "Hydraulik pan Zieliński przyjdzie w czwartek 3 grudnia 2026 o 8:00, wymiana baterii w kuchni, 450 zł, tel. 501 222 333."),
			of("Termin hydraulika", "Hydraulik przyjdzie w piątek 4 grudnia 2026 o 14:00."), true},
		{"en", of("Birthday cake", "The cake is made by Mrs Novak, 85 EUR, to be picked up on Friday 11 December at 17:00, 34 Crown Street, no nuts."),
			of("Picking up the cake", "The cake is ready on Saturday 12 December at 10:00."), true},
		{"ru", of("Торт на день рождения", "Торт делает госпожа Новак, 1 850 рублей, забрать в пятницу 11 декабря в 17:00, Лесная 34, без орехов."),
			of("Когда забрать торт", "Торт будет готов в субботу 12 декабря в 10:00."), true},

		{"cs", cake, of("Dárek na narozeniny", "Dárek na narozeniny vyzvednout v sobotu 12. 12. v 10:00."), false},
		{"cs", cake, of("Zubař", "Zubař je v sobotu 12. 12. v 10:00."), false},
		{"en", of("Birthday cake", "The cake costs 85 EUR."), of("Birthday card", "The card costs 4 EUR."), false},
	} {
		t.Run(tt.lang+" "+tt.next.Subject, func(t *testing.T) {
			t.Parallel()
			_, m := setup(t)
			old := write(t, m, in("s1"), tt.old)
			next := write(t, m, in("s1"), tt.next)
			asked := next.Of == old.ID
			if asked != tt.asked {
				t.Errorf("asked about %q: %v, want %v", tt.next.Content, asked, tt.asked)
			}
		})
	}
}

// A key fact with a day of the week does not take the new time alone where the day has changed with it.
func TestATimeDoesNotMoveWithoutItsDay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ old, fact, next string }{
		{"Dort vyzvednout v pátek 11. 12. 2026 v 17:00", "pátek v 17:00", "Dort vyzvednout až v sobotu 12. 12. v 10:00"},
		{"The dentist is on Tuesday at 17:00", "Tuesday at 17:00", "The dentist is on Friday at 10:00"},
		{"Dentysta jest w piątek o 17:00", "piątek o 17:00", "Dentysta jest w sobotę o 10:00"},
		{"Приём у врача в пятницу в 17:00", "пятница в 17:00", "Приём у врача в субботу в 10:00"},
	} {
		t.Run(tt.next, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Matter"), "Hello.")
			a := named(t, m, in("s1"), "Matter")
			_, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Facts: state.Facts{{Label: "when", Value: tt.fact}}})
			must(t, err)
			write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Subject: "termín", Content: tt.old, Affair: a.ID})
			small := scripted.Background(map[string]any{"same": map[string]any{"kind": "replaces", "reasoning": "scripted"}}, nil)
			w.toldBy(t, m, small, tt.next+".", memory.Change{Kind: state.FactRecord, Subject: "termín", Content: tt.next})
			if value, stands := named(t, m, in("s1"), "Matter").KeyFacts.Get("when"); stands {
				t.Errorf("%q stands as %q", tt.fact, value)
			}
		})
	}
}
