//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal is the far end of a terminal: what a person types goes in, what he sees comes out.
type terminal struct {
	keys *os.File

	mu   sync.Mutex
	more *sync.Cond
	seen string
	over bool
}

// openTerminal opens a terminal, and the end of it that a command has.
func openTerminal(t *testing.T) (*terminal, *os.File) {
	t.Helper()
	far, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	number, err := unix.IoctlGetInt(int(far.Fd()), unix.TIOCGPTN)
	if err = errors.Join(err, unix.IoctlSetPointerInt(int(far.Fd()), unix.TIOCSPTLCK, 0)); err != nil {
		t.Skip(err)
	}
	near, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	p := &terminal{keys: far}
	p.more = sync.NewCond(&p.mu)
	go p.watch()
	t.Cleanup(func() { _, _ = near.Close(), far.Close() })
	return p, near
}

// watch takes in what is shown.
func (p *terminal) watch() {
	buf := make([]byte, 4096)
	for {
		n, err := p.keys.Read(buf)
		p.mu.Lock()
		p.seen, p.over = p.seen+string(buf[:n]), err != nil
		p.more.Broadcast()
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// see waits until a text is shown, and returns what was shown up to it.
func (p *terminal) see(text string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !strings.Contains(p.seen, text) && !p.over {
		p.more.Wait()
	}
	before, after, _ := strings.Cut(p.seen, text)
	p.seen = after
	return before
}

// press types keys.
func (p *terminal) press(keys string) { _, _ = io.WriteString(p.keys, keys) }

func TestEditor(t *testing.T) {
	t.Parallel()
	const up, left = "\x1b[A", "\x1b[D"
	long := strings.Repeat("Příliš žluťoučký kůň. ", 400) // 8,800 characters
	for _, tt := range []struct {
		name string
		keys []string // for each message
		want string   // the last one
		err  error
	}{
		{"a line", []string{"Dobrý den\r"}, "Dobrý den", nil},
		{"editing", []string{"Helo" + left + "l\r"}, "Hello", nil},
		{"a letter of two bytes is deleted whole", []string{"cíž\x7fl\r"}, "cíl", nil},
		{"other signs", []string{"日本 👍 ok\r"}, "日本 👍 ok", nil},
		{"what is no text", []string{"a\xffb\r"}, "a?b", nil},
		{"a paste is one message", []string{"\x1b[200~one\ntwo\r\n\r\n\tthree\n\x1b[201~\r"}, "one\ntwo\n\n\tthree\n", nil},
		{"a paste inside a line", []string{"See: \x1b[200~one\ntwo\x1b[201~!\r"}, "See: one\ntwo!", nil},
		{"a paste obeys nothing", []string{"\x1b[200~a\x03\x04\x1b[31mb\x1b[201~\r"}, "a[31mb", nil},
		{"a long line is whole", []string{long + "\r"}, long, nil},
		{"a long paste is whole", []string{"\x1b[200~" + long + "\n" + long + "\x1b[201~\r"}, long + "\n" + long, nil},
		{"history", []string{"one\r", "two\r", up + up + "!\r"}, "one!", nil},
		{"the history has a paste whole", []string{"\x1b[200~one\ntwo\x1b[201~\r", up + "\r"}, "one\ntwo", nil},
		{"the arrows of the other mode", []string{"one\r", "\x1bOA\r"}, "one", nil},
		{"Ctrl-C drops what was typed", []string{"junk\x03kept\r"}, "kept", nil},
		{"Ctrl-C where nothing was typed", []string{"\x03"}, "", io.EOF},
		{"Ctrl-D", []string{"\x04"}, "", io.EOF},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			person, tty := openTerminal(t)
			e := newEditor(tty, tty)
			var got string
			var err error
			for _, keys := range tt.keys {
				done := make(chan struct{})
				go func() {
					defer close(done)
					got, err = e.next(t.Context(), "> ")
				}()
				person.see("> ")
				person.press(keys)
				<-done
			}
			if got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("next = %q, %v, want %q and %v", got, err, tt.want, tt.err)
			}
		})
	}
}

// A conversation on a terminal says what it is, helps, takes a paste as one message, and ends at Ctrl-C without a word.
func TestChatOnATerminal(t *testing.T) {
	t.Parallel()
	person, tty := openTerminal(t)
	ended := make(chan int)
	dir := t.TempDir()
	go func() {
		ended <- run(t.Context(), []string{"chat", "--dir", dir}, []string{"TERM=xterm", "NO_COLOR=1", "TZ=Asia/Tokyo"}, tty, tty, tty)
	}()

	if got := person.see("> "); !strings.Contains(got, "No model is set: answers are fixed words out of memory") || !strings.Contains(got, "/help lists commands") {
		t.Errorf("the beginning is %q, want what it is", got)
	}
	person.press("/help\r")
	person.see("/help")
	if got := person.see("> "); !strings.Contains(got, "/rename TITLE") || strings.Contains(got, "cler") {
		t.Errorf("/help shows %q", got)
	}
	person.press("\x1b[200~I ordered brake pads,\norder number 07-14244-53150.\x1b[201~\r")
	person.see("53150.")
	person.see("> ")
	person.press("/sessions\r")
	person.see("/sessions")
	if got := person.see("> "); !strings.Contains(got, "(2 messages") { // his, and the reply
		t.Errorf("/sessions shows %q, want one turn", got)
	}
	person.press("\x03")
	if code := <-ended; code != 0 {
		t.Errorf("status %d, want 0", code)
	}
}

// Who sits at a terminal is asked whether he trusts a folder's file of settings. His yes is asked once, his no is no.
func TestConsentOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "config.yaml"), "model: openai:gpt-test\nbase_url: http://127.0.0.1:9/v1\n")
	environ := []string{"TERM=xterm", "NO_COLOR=1", "XDG_CONFIG_HOME=" + t.TempDir()}
	for _, tt := range []struct {
		name, command, types, sees string
		asked                      bool
		code                       int
	}{
		{"no", "affairs", "n\r", "you did not agree", true, 1},
		{"no is asked again", "chat", "n\r", "you did not agree", true, 1},
		{"yes", "chat", "y\r", "/quit ends", true, 0},
		{"yes is asked once", "affairs", "", "no affairs", false, 0},
		{"in a chat too", "chat", "", "/quit ends", false, 0},
	} {
		person, tty := openTerminal(t)
		ended := make(chan int, 1)
		person.press(tt.types)
		go func() {
			ended <- run(t.Context(), []string{tt.command, "--dir", dir}, environ, tty, tty, tty)
			_, _ = io.WriteString(tty, "> #ended")
		}()
		seen := ""
		if tt.command == "chat" && tt.code == 0 {
			seen = person.see("> ")
			person.press("/quit\r")
		}
		seen += person.see("#ended")
		if code := <-ended; code != tt.code || !strings.Contains(seen, tt.sees) || strings.Contains(seen, "[y/N]") != tt.asked || strings.Contains(seen, "base_url sends") != tt.asked {
			t.Errorf("%s: status %d, %q, want %d and %q", tt.name, code, seen, tt.code, tt.sees)
		}
	}
}

// What is longer than the terminal goes through the pager, and what a conversation says does not.
func TestPagerOnATerminal(t *testing.T) {
	t.Parallel()
	person, tty := openTerminal(t)
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 4, Col: 120}); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	environ := []string{"TERM=dumb", "PAGER=sed 's/^/paged: /'", "PATH=/usr/bin:/bin"}
	for _, title := range []string{"Boat", "Roof", "Car", "Garden"} {
		if code := run(t.Context(), []string{"affairs", "create", title, "--dir", dir}, environ, strings.NewReader(""), tty, tty); code != 0 {
			t.Fatalf("affairs create: status %d", code)
		}
	}
	if got := person.see("“Garden” is opened"); strings.Contains(got, "paged: ") {
		t.Errorf("%q went through the pager", got)
	}
	person.see("\n")
	if code := run(t.Context(), []string{"affairs", "--dir", dir}, environ, strings.NewReader(""), tty, tty); code != 0 {
		t.Errorf("affairs: status %d", code)
	}
	if got := person.see("Boat"); !strings.Contains(got, "paged: NO ") || !strings.Contains(got, "paged: 1 ") {
		t.Errorf("affairs shows %q, want it paged", got)
	}
}
