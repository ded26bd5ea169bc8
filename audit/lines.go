package audit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/strictjson"
)

// MaxLine bounds a line of an export, in bytes.
const MaxLine = 16 << 20

// maxDepth is how deep a line may nest: arguments as deep as they may be, within
// a record.
const maxDepth = 2 * strictjson.MaxDepth

// What a line can be refused for, beside what strictjson says.
var (
	errBlank  = errors.New("the line is empty")
	errLong   = fmt.Errorf("the line is longer than %d bytes", MaxLine)
	errCut    = errors.New("the line is cut off: a line ends with a line break")
	errUTF8   = errors.New("not UTF-8")
	errFormat = errors.New("not written as it was exported: the same words in another form")
)

// Line is the record as a line of an export, with its line break.
func (r Record) Line() ([]byte, error) {
	line, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("audit: record %d: %w", r.Seq, err)
	}
	return append(line, '\n'), nil
}

// Lines reads an export, one record a line. Nothing in it is trusted: a line
// that Line would not have written is an error, with which it ends.
func Lines(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		for n := 1; ; n++ {
			line, err := readLine(in)
			if errors.Is(err, io.EOF) {
				return
			}
			var record Record
			if err == nil {
				record, err = parseLine(line)
			}
			if refused := (*refusal)(nil); errors.As(err, &refused) {
				err = &lineError{n, refused.error}
			}
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}

// refusal is what is wrong with a line, and not with reading it.
type refusal struct{ error }

// readLine returns the next line without its line break; io.EOF after the last.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, err := in.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case len(line) > MaxLine:
			return nil, &refusal{errLong}
		case err == nil:
			return bytes.TrimSuffix(line, []byte("\n")), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return nil, &refusal{errCut}
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		default:
			return nil, fmt.Errorf("audit: read: %w", err)
		}
	}
}

func parseLine(line []byte) (r Record, err error) {
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		return r, &refusal{errBlank}
	case !utf8.Valid(line):
		return r, &refusal{errUTF8}
	}
	if err := strictjson.DecodeWithin(maxDepth, line, &r); err != nil {
		return r, &refusal{err}
	}
	again, err := json.Marshal(r)
	if err != nil {
		return r, &refusal{err}
	}
	if !bytes.Equal(again, line) {
		return r, &refusal{errFormat}
	}
	return r, nil
}
