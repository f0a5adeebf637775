package token

import (
	"strings"
	"testing"
	"time"
)

func BenchmarkCount(b *testing.B) {
	cs := strings.Repeat("Objednal jsem díl na auto, číslo objednávky je 07-14244-53150 a stál 38,10 dolaru. ", 400)
	b.Run("cached text", func(b *testing.B) {
		c := New()
		b.SetBytes(int64(len(cs)))
		for b.Loop() {
			c.Count(cs)
		}
	})
	b.Run("known words", func(b *testing.B) {
		c := New()
		c.Count(cs)
		b.SetBytes(int64(len(cs)))
		for b.Loop() {
			c.measure(cs, len(cs))
		}
	})
	b.Run("cold", func(b *testing.B) {
		New().Count("x")
		b.SetBytes(int64(len(cs)))
		for b.Loop() {
			b.StopTimer()
			c := New()
			c.Count("x")
			b.StartTimer()
			c.measure(cs, len(cs))
		}
	})
}

func BenchmarkHostile(b *testing.B) {
	for name, unit := range hostile() {
		s := strings.Repeat(unit, 1_000_000/len(unit))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				New().Count(s)
			}
		})
	}
}

func hostile() map[string]string {
	return map[string]string{
		"letter": "a", "capital": "Z", "digit": "1", "space": " ", "lines": " \n", "mark": "-", "slash": "/",
		"ideograph": "中", "mixed": "中A", "accent": "\u0301", "emoji": "🎉", "broken": "\xff", "contraction": "'s",
	}
}

func TestHostileInputIsLinear(t *testing.T) {
	t.Parallel()
	for name, unit := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := strings.Repeat(unit, 1_000_000/len(unit))
			start := time.Now()
			c := New()
			n := c.Count(s)
			cut := c.Cut(s, 100)
			if took := time.Since(start); took > 30*time.Second { // minutes when it is quadratic
				t.Errorf("counting and cutting %d bytes took %s", len(s), took)
			}
			if n < len(s)/longestToken || n > 3*len(s) || c.Count(cut) > 100 {
				t.Errorf("Count = %d, the cut has %d", n, c.Count(cut))
			}
		})
	}
}
