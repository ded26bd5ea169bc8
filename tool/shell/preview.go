package shell

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/lineclear/lineclear/internal/cmdline"
	"github.com/lineclear/lineclear/tool"
)

// maxScript bounds the files that are hashed, in bytes.
const maxScript = 16 << 20

var _ tool.Previewer = (*Tool)(nil)

// Preview implements tool.Previewer: the hash of the scripts that a command
// runs, as they are now, so that what was read is what runs. A command that runs
// none has none.
func (t *Tool) Preview(_ context.Context, call tool.Call) (tool.Preview, error) {
	a, err := readArgs(call.Args)
	if err != nil || call.WorkingDirectory == "" {
		return tool.Preview{}, nil // the call itself says what is wrong
	}
	line := cmdline.Argv(a.Argv)
	if a.Command != "" {
		line = cmdline.Parse(a.Command)
	}
	hash := sha256.New()
	seen := map[string]bool{}
	for _, script := range line.Scripts() {
		for _, file := range places(script, call.WorkingDirectory) {
			if seen[file] {
				continue
			}
			if sum, ok := sumOf(file); ok {
				seen[file] = true
				fmt.Fprintf(hash, "%q %s\n", file, sum)
			}
		}
	}
	if len(seen) == 0 {
		return tool.Preview{}, nil
	}
	return tool.Preview{FileHash: "sha256:" + hex.EncodeToString(hash.Sum(nil))}, nil
}

// places are where a script may lie. Where a line changes to a directory that is
// not known, it may lie anywhere, and only the call's own is looked at.
func places(script cmdline.Script, workingDirectory string) []string {
	if filepath.IsAbs(script.Path) {
		return []string{script.Path}
	}
	dirs := script.Bases.Dirs
	if len(dirs) == 0 {
		dirs = []string{""}
	}
	all := make([]string, len(dirs))
	for i, dir := range dirs {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(workingDirectory, dir)
		}
		all[i] = filepath.Join(dir, script.Path)
	}
	return all
}

// sumOf is the hash of a file that can be one of ours to run. One that is too
// large to be read twice is known by its size and when it was written.
func sumOf(name string) (string, bool) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	if info.Size() > maxScript {
		return fmt.Sprintf("%d bytes of %d", info.Size(), info.ModTime().UnixNano()), true
	}
	f, err := os.Open(name)
	if err != nil {
		return "", false
	}
	defer func() { _ = f.Close() }() // it was only read from
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", false
	}
	return hex.EncodeToString(h.Sum(nil)), true
}
