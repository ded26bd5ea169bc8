package shell

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/cmdline"
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
	seen := []string{}
	for _, part := range line.Parts {
		for _, name := range scripts(part) {
			file := name
			if !filepath.IsAbs(file) {
				file = filepath.Join(call.WorkingDirectory, name)
			}
			if slices.Contains(seen, file) {
				continue
			}
			if sum, ok := sumOf(file); ok {
				seen = append(seen, file)
				fmt.Fprintf(hash, "%q %s\n", file, sum)
			}
		}
	}
	if len(seen) == 0 {
		return tool.Preview{}, nil
	}
	return tool.Preview{FileHash: "sha256:" + hex.EncodeToString(hash.Sum(nil))}, nil
}

// scripts are the words of a command that may name files which it runs: a
// program by its path, and the first argument of an interpreter.
func scripts(part cmdline.Part) []string {
	if len(part.Words) == 0 || !part.Words[0].Known {
		return nil
	}
	var found []string
	program := part.Words[0].Text
	if strings.Contains(program, "/") {
		found = append(found, program)
	}
	if !interprets(path.Base(program)) {
		return found
	}
	for _, w := range part.Words[1:] {
		if w.Known && !strings.HasPrefix(w.Text, "-") {
			return append(found, w.Text)
		}
	}
	return found
}

func interprets(program string) bool {
	switch strings.TrimRight(program, "0123456789.") {
	case "sh", "bash", "dash", "zsh", "ksh", "source", "", "python", "node", "deno", "bun", "perl", "ruby", "php", "lua", "awk":
		return true
	}
	return false
}

// sumOf is the hash of a file that can be one of ours to run.
func sumOf(name string) (string, bool) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxScript {
		return "", false
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
