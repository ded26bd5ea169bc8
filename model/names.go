package model

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/lineclear/lineclear/tool"
)

// maxName is how long a tool's name may be for every provider.
const maxName = 64

// Names maps tools' names to ones that every provider takes (letters, digits, _
// and -, at most 64, beginning with a letter or _), and back. A name that is such a one stays as it is.
type Names struct{ back map[string]string }

// NewNames makes the names of a prompt's tools.
func NewNames(tools []tool.Spec) Names {
	n := Names{back: make(map[string]string, len(tools))}
	for _, t := range tools {
		n.back[WireName(t.Name)] = t.Name
	}
	return n
}

// Own is the tool's own name for one that a provider has given; what is not
// among them stays as it is.
func (n Names) Own(wire string) string {
	if name, ok := n.back[wire]; ok {
		return name
	}
	return wire
}

// WireName is a tool's name as providers take it. Names that would become alike
// are told apart by a hash, so that it depends on nothing but the name.
func WireName(name string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	if plain == "" || plain[0] == '-' || '0' <= plain[0] && plain[0] <= '9' {
		plain = "_" + plain
	}
	if plain == name && len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	mark := "_" + hex.EncodeToString(sum[:4])
	return plain[:min(len(plain), maxName-len(mark))] + mark
}
