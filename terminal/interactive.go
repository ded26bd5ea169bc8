package terminal

import (
	"context"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
)

// Interactive reports whether in is a terminal, so that a person can be behind it.
func Interactive(in *os.File) bool {
	is := false
	onDescriptor(in, func(fd int) { is = term.IsTerminal(fd) })
	return is
}

// NewOrDeny returns a Prompt if in is a terminal, and otherwise a handler that returns
// approval.ErrNobody at once.
func NewOrDeny(in *os.File, out io.Writer) approval.Handler {
	if Interactive(in) {
		return New(in, out, Options{})
	}
	return approval.HandlerFunc(func(context.Context, approval.Request) (approval.Response, error) {
		return approval.Response{}, fmt.Errorf("%w: the program was started without a terminal", approval.ErrNobody)
	})
}

// FileOf returns the file behind a writer, or nil.
func FileOf(out io.Writer) *os.File {
	if w, ok := out.(*mask.Writer); ok {
		out = w.Unwrap()
	}
	file, _ := out.(*os.File)
	return file
}

// onDescriptor lets f use a file's descriptor. File.Fd would take from the file
// the means to end a read.
func onDescriptor(file *os.File, f func(fd int)) {
	if file == nil {
		return
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { f(int(fd)) })
}

// WidthOf is how many columns a writer has, 0 if that is not known.
func WidthOf(out io.Writer) int {
	file := FileOf(out)
	width := 0
	onDescriptor(file, func(fd int) {
		if w, _, err := term.GetSize(fd); err == nil {
			width = w
		}
	})
	return width
}
