package mask

import (
	"io"
	"sync"
	"unicode/utf8"
)

// Writer passes a text on to another writer with its hidden characters written
// out. A program that is given no other way to its terminal can't forget it.
// It may be used by several goroutines; each Write arrives in one piece.
type Writer struct {
	out  io.Writer
	show func(string) string

	mu   sync.Mutex // held while it writes: what was held back comes before what follows
	held []byte     // the beginning of a character whose rest has not come
}

// NewWriter makes a writer that writes as Hidden does.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out, show: Hidden} }

// NewJSONWriter makes a writer for JSON, which writes as HiddenJSON does.
func NewJSONWriter(out io.Writer) *Writer { return &Writer{out: out, show: HiddenJSON} }

// Unwrap is the writer behind it, for what has to arrive as it is.
func (w *Writer) Unwrap() io.Writer { return w.out }

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := append(w.held, p...)
	whole := len(text) - begun(text)
	w.held = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(w.out, w.show(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes what was held back, as the invalid UTF-8 that it is.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := w.show(string(w.held))
	w.held = nil
	if text == "" {
		return nil
	}
	_, err := io.WriteString(w.out, text)
	return err
}

// begun is how many bytes at the end begin a character.
func begun(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}
