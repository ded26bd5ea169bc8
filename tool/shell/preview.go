package shell

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/internal/programs"
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
	line := plain.Argv(a.Argv)
	if a.Command != "" {
		line = plain.Shell{Dir: call.WorkingDirectory}.Read(a.Command)
	}
	hash := sha256.New()
	seen := map[string]bool{}
	for _, file := range scripts(line, call.WorkingDirectory) {
		if sum, ok := sumOf(file); ok && !seen[file] {
			seen[file] = true
			fmt.Fprintf(hash, "%q %s\n", file, sum)
		}
	}
	if len(seen) == 0 {
		return tool.Preview{}, nil
	}
	return tool.Preview{FileHash: "sha256:" + hex.EncodeToString(hash.Sum(nil))}, nil
}

// scripts returns the paths of code that a line may run. If a command runs its input, any file of the
// line may be that code.
func scripts(line *plain.Line, workingDirectory string) []string {
	const most = 64 // words; longer commands are not searched for a folder
	anything := slices.ContainsFunc(line.Parts, func(p *plain.Part) bool { return programs.Of(p).RunsInput(p) })
	var all []string
	for _, part := range line.Parts {
		words := programs.Scripts(part)
		if anything {
			words = append(words, part.Words...)
			for _, f := range part.Files {
				words = append(words, f.Path)
			}
		}
		dir := cmp.Or(part.Dir, workingDirectory)
		for _, script := range words {
			all = append(all, plain.Join(dir, script.Text))
			for _, other := range part.Words { // one may be the folder to run it in
				if len(part.Words) <= most && !filepath.IsAbs(script.Text) && other.Text != script.Text {
					all = append(all, plain.Join(plain.Join(dir, other.Text), script.Text))
				}
			}
		}
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
