// Package files holds tools that read, write, edit and list files below one
// directory.
//
// # What it promises
//
//   - No path leads out of the directory: not with "..", not as an absolute
//     path, not over a symbolic link, also not one that changes meanwhile. The
//     operating system enforces it (os.Root), not a comparison of strings.
//   - A reader never sees a half-written file: a new content takes its place in
//     one step, except where a file is a symbolic link or its folder can't be
//     written to, which are written in place.
//   - Writes and edits of one Files follow each other, so that none is lost.
//   - What is left out of a result is counted and marked. Binary files are
//     described, not dumped.
//   - A failure is a result that names the path and what to do about it.
//
// # How to use it
//
// New opens the directory; Tools gives read_file, write_file, edit_file and
// list_files for a gate. Whoever called New calls Close, after the last call
// has ended.
package files

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// Options are the limits; the zero value works.
type Options struct {
	ReadLimit int // bytes of a file that one read_file returns; default 256 KiB
	FileLimit int // bytes that a file may have to be written or edited; default 8 MiB
	ListLimit int // entries that one list_files returns; default 1,000
}

// Files is one directory with the tools to work in it.
type Files struct {
	options Options
	root    *os.Root
	names   []string      // the absolute paths under which the directory is known
	writing chan struct{} // holds one token while a file is changed
}

// New opens a directory. The caller closes the result.
func New(dir string, o Options) (*Files, error) {
	if o.ReadLimit <= 0 {
		o.ReadLimit = 256 << 10
	}
	if o.FileLimit <= 0 {
		o.FileLimit = 8 << 20
	}
	if o.ListLimit <= 0 {
		o.ListLimit = 1000
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("files: open %s: %w", dir, err)
	}
	resolved, err := filepath.EvalSymlinks(absolute)
	if err != nil {
		return nil, fmt.Errorf("files: open %s: %w", dir, err)
	}
	root, err := os.OpenRoot(absolute)
	if err != nil {
		return nil, fmt.Errorf("files: open %s: %w", dir, err)
	}
	return &Files{options: o, root: root, names: []string{absolute, resolved}, writing: make(chan struct{}, 1)}, nil
}

// Tools are all four.
func (f *Files) Tools() []tool.Tool {
	return []tool.Tool{f.Read(), f.Write(), f.Edit(), f.List()}
}

// Close gives the directory back; calls after it fail.
func (f *Files) Close() error { return f.root.Close() }

// action is a tool whose work is one function.
type action struct {
	spec tool.Spec
	run  func(ctx context.Context, call tool.Call) tool.Result
}

// Spec implements tool.Tool.
func (a action) Spec() tool.Spec { return a.spec }

// Run implements tool.Tool.
func (a action) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	if ctx.Err() != nil {
		return tool.Failed("cancelled before anything was done"), nil
	}
	return a.run(ctx, call), nil
}

// act makes a tool from a function over its decoded arguments.
func act[A any](spec tool.Spec, run func(ctx context.Context, call tool.Call, args A) tool.Result) tool.Tool {
	return action{spec: spec, run: func(ctx context.Context, call tool.Call) tool.Result {
		var args A
		if err := strictjson.Decode(call.Args, &args); err != nil {
			return tool.Failed("arguments: " + tool.Words(err))
		}
		return run(ctx, call, args)
	}}
}

// done makes a result with the same for programs.
func done(text string, structured any) tool.Result {
	data, err := json.Marshal(structured, jsontext.AllowInvalidUTF8(true)) // names of files may be any bytes
	if err != nil {
		return tool.Failed("the result can't be written as JSON: " + tool.Words(err))
	}
	return tool.Result{Text: text, Structured: data}
}

// alone waits until no other file is being changed. The caller calls the
// function it gets when it is done.
func (f *Files) alone(ctx context.Context) (func(), error) {
	select {
	case f.writing <- struct{}{}:
		return func() { <-f.writing }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
