package mask

import (
	"io"
	"sync"
	"unicode/utf8"
)

// Writer writes a text to another writer with its hidden characters written out. It
// is safe for concurrent use; each Write arrives in one piece.
type Writer struct {
	out    io.Writer
	escape func(string) string

	mu   sync.Mutex // held during the write, to keep the order
	held []byte     // the start of a character that is not complete yet
}

// NewWriter makes a writer that writes as Hidden does.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out, escape: Hidden} }

// NewJSONWriter makes a writer for JSON, which writes as HiddenJSON does.
func NewJSONWriter(out io.Writer) *Writer { return &Writer{out: out, escape: HiddenJSON} }

// Unwrap returns the underlying writer, for output that must not be changed.
func (w *Writer) Unwrap() io.Writer { return w.out }

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := append(w.held, p...)
	whole := len(text) - incomplete(text)
	w.held = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(w.out, w.escape(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes an incomplete character at the end as invalid UTF-8.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := w.escape(string(w.held))
	w.held = nil
	if text == "" {
		return nil
	}
	_, err := io.WriteString(w.out, text)
	return err
}

// incomplete returns how many bytes at the end start a character without completing it.
func incomplete(text []byte) int {
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

// Colour is one of the few that a text can have on a terminal.
type Colour int

// The colours. Plain is none.
const (
	Plain Colour = iota
	Yellow
	Red
	BoldRed
)

var codes = map[Colour]string{Yellow: "33", Red: "31", BoldRed: "1;31"}

// WriteIn writes a text in a colour. Only its sequences pass; those in the text are written out.
func (w *Writer) WriteIn(c Colour, text string) error {
	code, known := codes[c]
	if !known {
		_, err := io.WriteString(w, text)
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := io.WriteString(w.out, w.escape(string(w.held))+"\x1b["+code+"m"+w.escape(text)+"\x1b[0m")
	w.held = nil
	return err
}
