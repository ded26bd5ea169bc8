package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/lineclear/lineclear/internal/linediff"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// How much of a diff is part of the request, which every tab gets, and how much is stored beside it.
const (
	shownLines = 400
	shownBytes = 64 << 10
	keptBytes  = 4 << 20
)

// around is how many unchanged lines are shown around a change.
const around = 3

// What stands for the hash of a file that is not there, and of one that can't be
// read.
const (
	absent     = "absent"
	unreadable = "unreadable"
)

// changing is an action on a file that a person is shown beforehand.
type changing struct {
	action
	preview func(ctx context.Context, call tool.Call) (tool.Preview, error)
}

var _ tool.Previewer = changing{}

// Preview implements tool.Previewer: the file's hash, and the change as a diff.
func (c changing) Preview(ctx context.Context, call tool.Call) (tool.Preview, error) {
	return c.preview(ctx, call)
}

// change makes a tool that changes a file.
func change[A any](
	spec tool.Spec, run func(ctx context.Context, call tool.Call, args A) tool.Result,
	preview func(ctx context.Context, call tool.Call, args A) (tool.Preview, error),
) tool.Tool {
	return changing{action: act(spec, run).(action), preview: func(ctx context.Context, call tool.Call) (tool.Preview, error) {
		var args A
		if err := strictjson.Decode(call.Args, &args); err != nil {
			return tool.Preview{}, nil // the call itself says what is wrong
		}
		return preview(ctx, call, args)
	}}
}

func (f *Files) previewWrite(ctx context.Context, call tool.Call, a writeArgs) (tool.Preview, error) {
	if a.Content == nil {
		return tool.Preview{}, nil
	}
	return f.previewOf(ctx, call, a.Path, func(before []byte) []byte {
		if len(*a.Content) > f.options.FileLimit {
			return before // it will be refused
		}
		return []byte(*a.Content)
	})
}

func (f *Files) previewEdit(ctx context.Context, call tool.Call, a editArgs) (tool.Preview, error) {
	return f.previewOf(ctx, call, a.Path, func(before []byte) []byte {
		if count, err := a.count(before); err != nil || a.size(before, count) > f.options.FileLimit {
			return before // it will be refused
		}
		return bytes.ReplaceAll(before, []byte(a.Old), []byte(a.New))
	})
}

// previewOf tells what a change would do to a file as it is now.
func (f *Files) previewOf(ctx context.Context, call tool.Call, name string, change func([]byte) []byte) (tool.Preview, error) {
	path, err := f.locate(call, name)
	if err != nil {
		return tool.Preview{}, nil // the call itself says what is wrong
	}
	before, err := f.whole(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return withDiff(absent, name, nil, change(nil)), nil
	case errors.Is(err, errTooLarge):
		hash, err := f.sum(ctx, path)
		return tool.Preview{FileHash: hash}, err // too much to be shown, and still the one that was approved
	case err != nil:
		return tool.Preview{FileHash: unreadable}, nil
	}
	sum := sha256.Sum256(before)
	return withDiff("sha256:"+hex.EncodeToString(sum[:]), name, before, change(before)), nil
}

// sum is the hash of a file of any size. It fails only when ctx ends.
func (f *Files) sum(ctx context.Context, path string) (string, error) {
	file, _, err := f.open(path)
	if err != nil {
		return unreadable, nil
	}
	defer func() { _ = file.Close() }() // it was only read from
	defer context.AfterFunc(ctx, func() { _ = file.Close() })()
	hash := sha256.New()
	_, err = io.Copy(hash, file)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return unreadable, nil
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil)), nil
}

func withDiff(hash, name string, before, after []byte) tool.Preview {
	p := tool.Preview{FileHash: hash}
	if !utf8.Valid(before) || !utf8.Valid(after) || bytes.Equal(before, after) {
		return p
	}
	d := linediff.Unified(name, string(before), string(after), around, keptBytes)
	p.Added, p.Removed = d.Added, d.Removed
	p.Diff, p.Rest = beginning(d.Text)
	p.Omitted = d.Omitted + strings.Count(p.Rest, "\n")
	return p
}

// beginning splits a diff into what is part of the request, and the rest.
func beginning(diff string) (head, rest string) {
	end := 0
	for range shownLines {
		line := strings.IndexByte(diff[end:], '\n') + 1
		if line == 0 || end+line > shownBytes {
			break
		}
		end += line
	}
	return diff[:end], diff[end:]
}
