package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/internal/programs"
)

// changesEnding returns a protected ending of a path that the call names and may change; empty if there is none.
// A path that the call only might name does not count.
func (c *call) changesEnding() string {
	if len(c.rules.Protected.Endings) == 0 {
		return ""
	}
	for _, p := range c.pathArgs() {
		if !p.known || !p.write && (c.runs() || c.sideOf(p) != toWrite) {
			continue
		}
		if found := c.ending(c.bases(), p.text, c.Spec.Hints.Destructive); found != "" {
			return found
		}
	}
	for part := range c.parts() {
		for _, n := range c.filesOf(part) {
			whole := n.kind == programs.Write || n.kind == programs.Drop
			if !whole && n.kind != programs.Make && n.kind != programs.Unknown {
				continue
			}
			found := ""
			n.word.Each(func(text string) bool {
				if found = c.ending(c.dirsOf(part), text, whole); found == "" && c.replaced(part, text) {
					found = c.endingBase(text)
				}
				return found == ""
			})
			if found != "" {
				return found
			}
		}
	}
	return ""
}

// ending returns the protected ending of a path or of a folder above it, as written or where links lead. With
// whole set, the folder around such a file counts too.
func (c *call) ending(bases []string, text string, whole bool) string {
	all := from(bases, text)
	if len(all) == 0 && !strings.ContainsRune(text, 0) {
		all = []string{"/" + text} // relative to an unknown folder
	}
	for _, at := range all {
		place := c.places.at(at)
		for _, name := range []string{folded(place.lexical), folded(place.resolved)} {
			for _, e := range c.rules.Protected.Endings {
				if strings.Contains(name+"/", "/"+e+"/") || whole && strings.HasSuffix(name, "/"+path.Dir(e)) {
					return e
				}
			}
		}
	}
	return ""
}

// endingBase returns a protected ending with the same last name as a path that may lead anywhere.
func (c *call) endingBase(text string) string {
	base := path.Base(folded(text))
	at := slices.IndexFunc(c.rules.Protected.Endings, func(e string) bool { return path.Base(e) == base })
	if at < 0 {
		return ""
	}
	return c.rules.Protected.Endings[at]
}

// folded returns a path as case-insensitive file systems compare it.
func folded(text string) string { return strings.ToLower(bare(text)) }
