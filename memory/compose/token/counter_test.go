package token

import (
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/tiktoken-go/tokenizer/codec"
	"pgregory.net/rapid"
)

func TestCount(t *testing.T) {
	t.Parallel()
	c := New()
	for _, tt := range []struct {
		name, text string
		want       int
	}{
		{"nothing", "", 0},
		{"a word", "hello", 1},
		{"English", "The order number is 07-14244-53150.", 13},
		{"Czech", "Číslo objednávky je 07-14244-53150.", 16},
		{"Polish", "Numer zamówienia to 07-14244-53150.", 14},
		{"Russian", "Номер заказа 07-14244-53150.", 12},
		{"special tokens are ordinary text", "<|endoftext|>", 7},
		{"emoji", "👍🏽👨‍👩‍👧", 11},
		{"a byte that is not UTF-8", "\xff", 1},
		{"delete is a character too", "a\x7fb", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for range 2 { // the second time from the cache
				if got := c.Count(tt.text); got != tt.want {
					t.Errorf("Count(%q) = %d, want %d", tt.text, got, tt.want)
				}
			}
		})
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	c := New()
	for _, tt := range []struct {
		name, text string
		limit      int
		want       string
	}{
		{"fits", "one two three", 3, "one two three"},
		{"ends at a word", "one two three four five", 3, "one two…"},
		{"a number is not cut in the middle", "order 07-14244-53150 arrives", 6, "order…"},
		{"no room", "one two", 0, ""},
		{"less than no room", "one two", -5, ""},
		{"room for the mark only", "one two", 1, "…"},
		{"a long word is cut between characters", strings.Repeat("ž", 200), 5, "žžžž…"},
		{"a long word behind a short one too", "a " + strings.Repeat("ž", 200), 20, "a " + strings.Repeat("ž", 18) + "…"},
		{"writing without spaces", strings.Repeat("中", 200), 5, "中中中中…"},
		{"nothing", "", 3, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := c.Cut(tt.text, tt.limit)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Cut(%.40q, %d): -want +got\n%s", tt.text, tt.limit, diff)
			}
		})
	}
}

func TestCutProperties(t *testing.T) {
	t.Parallel()
	c := New()
	rapid.Check(t, func(t *rapid.T) {
		s := text().Draw(t, "text")
		limit := rapid.IntRange(-1, 60).Draw(t, "limit")
		got := c.Cut(s, limit)
		if n := c.Count(got); n > max(limit, 0) {
			t.Fatalf("Cut(%q, %d) = %q has %d tokens", s, limit, got, n)
		}
		if c.Fits(s, limit) != (c.Count(s) <= limit) {
			t.Fatalf("Fits(%q, %d) disagrees with Count = %d", s, limit, c.Count(s))
		}
		switch begin, cut := strings.CutSuffix(got, ellipsis); {
		case got == s || limit <= 0 && got == "":
		case !cut || !strings.HasPrefix(s, begin):
			t.Fatalf("Cut(%q, %d) = %q is not a beginning of it", s, limit, got)
		case utf8.ValidString(s) && !utf8.ValidString(got):
			t.Fatalf("Cut(%q, %d) = %q splits a character", s, limit, got)
		}
	})
}

// text draws text in four languages with digits, marks, emoji, white space of all kinds and long words.
func text() *rapid.Generator[string] {
	word := rapid.OneOf(
		rapid.SampledFrom([]string{
			"objednávka", "Příliš", "zamówienie", "Łódź", "заказ", "Ёлка", "delivery", "McDonald's", "I'LL", "we've",
			"07-14244-53150", "$38.10", "https://www.ebay.com/itm/167956961209", "👍🏽", "👨‍👩‍👧", "中文", "ไทย", "हिन्दी", "ǅ",
			"e\u0301", "\u200d", "...", "/", "//\n", "\r\n", "\n\n  ", " ", "\t", "\u00a0", "\u2028", "'ſ", "𝒳", "\U000E0101", "\xff",
		}),
		rapid.StringN(0, 8, -1),
		rapid.Map(rapid.IntRange(1, 900), func(n int) string { return strings.Repeat("aB", n) }),
	)
	return rapid.Map(rapid.SliceOfN(word, 0, 12), func(words []string) string { return strings.Join(words, " ") })
}

func TestCountIsExact(t *testing.T) {
	t.Parallel()
	c, oracle := New(), codec.NewO200kBase()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOfN(rapid.SampledFrom(
			[]string{"a", "B", "ž", "Ж", "中", "\u0301", "ǅ", "ʰ", "1", "²", " ", "\n", "\r", "\t", "\u3000", "-", "/", "'", "s", "LL", "👍", "\U00020000"},
		), 0, 20), func(p []string) string { return strings.Join(p, "") })).Draw(t, "text")
		want := library(t, oracle, s)
		if got := c.Count(s); got != want {
			t.Fatalf("Count(%q) = %d, the library counts %d", s, got, want)
		}
	})
}

func TestEveryRuneHasItsClass(t *testing.T) {
	t.Parallel()
	classes := newClasses()
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		want := class(0)
		for _, set := range []struct {
			in    bool
			class class
		}{
			{unicode.In(r, unicode.Lu, unicode.Lt, unicode.Lm, unicode.Lo, unicode.M), upper},
			{unicode.In(r, unicode.Ll, unicode.Lm, unicode.Lo, unicode.M), lower},
			{unicode.IsLetter(r), letter},
			{unicode.IsNumber(r), number},
			{unicode.IsSpace(r), space},
			{r == '\r' || r == '\n', newline},
		} {
			if set.in {
				want |= set.class
			}
		}
		if got, size := classes.at(string(r), 0); got != want || size != utf8.RuneLen(r) {
			t.Errorf("%U: class %b of %d bytes, want %b of %d", r, got, size, want, utf8.RuneLen(r))
		}
	}
}

// library is what the library counts, but for U+007F, which it passes over.
func library(t interface{ Fatal(...any) }, oracle *codec.Codec, s string) int {
	n, err := oracle.Count(strings.ReplaceAll(s, "\x7f", "\x01"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func FuzzCount(f *testing.F) {
	for _, s := range []string{"", "Objednávka 07-14244-53150", "a\n\n  b", " \n \n", "'ſx", "\xff\xfe", "中A A中", "...//\n/x", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"} {
		f.Add(s, 3)
	}
	c, oracle := New(), codec.NewO200kBase()
	f.Fuzz(func(t *testing.T, s string, limit int) {
		got := c.Count(s)
		if len(s) <= chunkBytes && utf8.ValidString(s) {
			if want := library(t, oracle, s); got != want {
				t.Errorf("Count(%q) = %d, the library counts %d", s, got, want)
			}
		}
		limit %= 1000
		if cut := c.Cut(s, limit); c.Count(cut) > max(limit, 0) {
			t.Errorf("Cut(%q, %d) = %q has %d tokens", s, limit, cut, c.Count(cut))
		}
	})
}

// Additivity at line ends is what lets a caller add up lines.
func TestLinesAddUp(t *testing.T) {
	t.Parallel()
	c := New()
	rapid.Check(t, func(t *rapid.T) {
		sum, all := 0, ""
		for _, line := range rapid.SliceOfN(text(), 1, 6).Draw(t, "lines") {
			line = "- " + strings.Join(strings.Fields(line), " ") + "\n"
			sum += c.Count(line)
			all += line
		}
		if got := c.Count(all); got != sum {
			t.Fatalf("Count(%q) = %d, its lines have %d", all, got, sum)
		}
	})
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	const limit = 64 << 10
	c := newCache(limit)
	for i := range 20000 {
		c.put(strings.Repeat("x", i%3000)+string(rune('a'+i%26)), i)
	}
	if got := c.bytes(); got > limit || got < limit/4 {
		t.Errorf("a cache of %d bytes holds %d", limit, got)
	}
	c.put(strings.Repeat("y", limit), 1)
	if _, ok := c.get(strings.Repeat("y", limit)); ok {
		t.Error("a text as large as the whole cache was kept")
	}
	c.put("again", 7)
	for i := range 2000 {
		c.put(strings.Repeat("z", 100+i), 1)
		if n, ok := c.get("again"); !ok || n != 7 {
			t.Fatalf("what is asked for again and again was forgotten after %d others", i)
		}
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	c, alone := New(), New()
	var want []int
	for i := range 50 {
		want = append(want, alone.Count(strings.Repeat("slovo ", i)))
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i, n := range want {
				if got := c.Count(strings.Repeat("slovo ", i)); got != n {
					t.Errorf("%d words have %d tokens, want %d", i, got, n)
				}
			}
		})
	}
	wg.Wait()
}

// bytes is what the cache holds, for tests.
func (c *cache) bytes() int {
	sum := 0
	for i := range c.shards {
		sh := &c.shards[i]
		sh.mu.Lock()
		sum += sh.used
		for s := range sh.old {
			sum += len(s) + entryBytes
		}
		sh.mu.Unlock()
	}
	return sum
}
