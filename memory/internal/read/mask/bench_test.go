package mask_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/read/mask"
)

// BenchmarkSecrets looks through the longest message.
func BenchmarkSecrets(b *testing.B) {
	const size = 4 << 20
	of := func(piece func(int) string) string {
		var s strings.Builder
		for i := 0; s.Len() < size; i++ {
			s.WriteString(piece(i))
		}
		return s.String()
	}
	m := mask.New()
	for name, text := range map[string]string{
		"words": of(func(i int) string { return fmt.Sprintf("the second page has a password to keep as token %d. ", i) }),
		"log": of(func(i int) string {
			return fmt.Sprintf("2026-03-01 12:00:%02d GET https://a.example/key/%d token=%d\n", i%60, i, i)
		}),
		"json": of(func(i int) string { return fmt.Sprintf(`{"key": "k%d", "token": "abcdefgh%d", "secret": null}`, i, i) }),
		"russian": of(func(i int) string {
			return fmt.Sprintf("Поезд опоздал на %d минут, пароль никто не помнит. ", i)
		}),
		"a key": of(func(i int) string { return fmt.Sprintf("line %d of the log. ", i) }) + " sk-live-4f9a8b7c6d5e",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				m.Secrets(text)
			}
		})
	}
}

// BenchmarkTyped looks through messages as people type them.
func BenchmarkTyped(b *testing.B) {
	m := mask.New()
	for name, text := range map[string]string{
		"plain":  "can you move the appointment with the dentist to Thursday afternoon, please?",
		"secret": "to get into the laptop type tigerlily9, only we two know",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				m.Typed(text)
			}
		})
	}
}
