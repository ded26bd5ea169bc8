package config

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/internal/sandbox"
	"github.com/lineclear/lineclear/tool"
)

// fenceFile is a rule's sandbox as written in the file.
type fenceFile tool.Fence

// of is the sandbox of a program that runs in a folder, where relative paths start.
func (f fenceFile) of(folder string) *sandbox.Fence {
	absolute := func(list []string) (all []string) {
		for _, path := range list {
			home, err := os.UserHomeDir()
			switch rest, below := strings.CutPrefix(path, "~"); {
			case below && err == nil:
				path = home + rest
			case !filepath.IsAbs(path):
				path = filepath.Join(folder, path)
			}
			all = append(all, path)
		}
		return all
	}
	return &sandbox.Fence{Read: absolute(f.Read), Write: absolute(f.Writes), Network: f.Network}
}

// readOnly is short for a sandbox that can read workdir and write nothing.
const readOnly = "read-only"

// UnmarshalJSONFrom reads the short form or an object. The schema was checked before.
func (f *fenceFile) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		return dec.SkipValue()
	}
	return json.UnmarshalDecode(dec, (*tool.Fence)(f))
}
