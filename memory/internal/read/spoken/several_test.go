package spoken_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory/internal/read/spoken"
)

func TestSeveral(t *testing.T) {
	t.Parallel()
	type orders = []spoken.Command
	order := func(a spoken.Action, object string) spoken.Command { return spoken.Command{Action: a, Object: object} }
	for message, want := range map[string]orders{
		"Forget where Ana lives and remember that my favourite tea is oolong.": {order(spoken.ClearTopic, "where Ana lives"), order(spoken.Remember, "my favourite tea is oolong")},
		"Zapomeň, kde bydlí Ana, a zapamatuj si, že nejradši piju oolong.":     {order(spoken.ClearTopic, "kde bydlí Ana"), order(spoken.Remember, "nejradši piju oolong")},
		"Zapomnij, gdzie mieszka Ana, i zapamiętaj, że lubię herbatę oolong.":  {order(spoken.ClearTopic, "gdzie mieszka Ana"), order(spoken.Remember, "lubię herbatę oolong")},
		"Забудь, где живёт Аня, и запомни, что я люблю улун.":                  {order(spoken.ClearTopic, "где живёт Аня"), order(spoken.Remember, "я люблю улун")},
		"Zapamatuj si, že parkuju ve 3. patře. Co víš o Aně?":                  {order(spoken.Remember, "parkuju ve 3. patře"), {Action: spoken.AboutTopic, Object: "Aně", IfKnown: true}},
		"Forget my old address, and forget my phone number.":                   {order(spoken.ClearTopic, "my old address"), order(spoken.ClearTopic, "my phone number")},
		"Remember that the dentist is on Monday at 9. What tea do I like?":     {order(spoken.Remember, "the dentist is on Monday at 9")},
	} {
		var got orders
		for _, part := range spoken.Several(message) {
			got = append(got, spoken.Find(part))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", message, diff)
		}
	}
	for _, one := range []string{
		"", "Hello.", "Remember that I need to call Ana and forget the meeting.", "Forget my old address and my old phone number.",
		"Whatever else you forget, keep this: I cannot eat gluten.", "You have my address wrong, write it down properly: Lipová 8.",
	} {
		if got := spoken.Several(one); len(got) != 1 || got[0] != one {
			t.Errorf("%q was taken apart: %q", one, got)
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		"": true, "Forget it.": true, "Forget where I live, please!": true, "Pamatuj si prosím, že bydlím v Praze.": true, "Zapomeň na lepek": true,
		"can you lose the buzzer code, landlord doesn't want it written down anywhere. address stays":        false,
		"телефон инны сотри, она просила, а вот что свой торт туда можно только до 2 кг, это запомни":        false,
		"i jego telefon wykasuj, prosił żeby nigdzie nie zapisywać, za to zanotuj że on pracuje tylko do 15": false,
	} {
		if got := spoken.Plain(message); got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
}

// Parts are of the message, in its order, and never overlap.
func FuzzSeveral(f *testing.F) {
	f.Add("Forget where Ana lives and remember that I drink tea. What do you know about Ana?")
	f.Fuzz(func(t *testing.T, message string) {
		rest := message
		for _, part := range spoken.Several(message) {
			_, behind, ok := strings.Cut(rest, part)
			if !ok {
				t.Fatalf("%q is no part of %q behind the one before", part, message)
			}
			rest = behind
		}
	})
}
