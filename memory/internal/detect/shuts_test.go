package detect_test

import (
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/detect"
)

func TestShuts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang, said    string
		orders, names bool
	}{
		{"en", "Close the sofa affair.", true, true},
		{"en", "close this matter, please", true, false},
		{"en", "The shop closes at six.", false, false},
		{"cs", "Uzavři tu věc s karavanem.", true, true},
		{"cs", "uzavři záležitost", true, false},
		{"pl", "Zamknij sprawę kanapy.", true, true},
		{"pl", "zamknij temat", true, false},
		{"ru", "Закрой дело с диваном", true, true},
		{"ru", "закрой тему", true, false},
	} {
		if orders, which := detect.Shuts(tt.said, tt.lang); orders != tt.orders || (len(which) > 0) != tt.names {
			t.Errorf("Shuts(%q) = %v, %v, want %v, %v", tt.said, orders, which, tt.orders, tt.names)
		}
	}
}
