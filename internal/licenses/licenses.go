// Package licenses has the licences of the program and of the Go modules and npm
// packages that it is built with. The Makefile collects them; a program built without
// it returns ErrNone.
package licenses

import (
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// ErrNone is returned by a program that was built without the licences.
var ErrNone = errors.New("this program was built without its licences: make build collects them")

// FileName is the name of the file below texts, gzipped, that collect writes.
const FileName = "notices.txt.gz"

//go:embed all:texts
var texts embed.FS

// Write writes all licences as one text.
func Write(w io.Writer) error {
	f, err := texts.Open("texts/" + FileName)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNone
	}
	if err != nil {
		return fmt.Errorf("licenses: %w", err)
	}
	z, err := gzip.NewReader(f)
	if err == nil {
		_, err = io.Copy(w, z)
	}
	if err != nil {
		return fmt.Errorf("licenses: %w", err)
	}
	return nil
}
