package text

import (
	"testing"
)

func BenchmarkLoadThesaurus(b *testing.B) {
	t := loaded()
	for b.Loop() {
		loadThesaurus(t)
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		load()
	}
}

func BenchmarkRelated(b *testing.B) {
	stem := Stem("chata")
	b.ReportAllocs()
	for b.Loop() {
		Related(stem)
	}
}
