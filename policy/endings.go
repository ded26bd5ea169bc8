package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/internal/programs"
)

// changesEnding is one of the protected endings with which a path ends that the call names and may change;
// empty: there is none. What the call only may name does not count.
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

// ending is the protected ending of a path, by its letters or where links lead, or that of something in it. With
// whole set, the folder around such a file counts too.
func (c *call) ending(bases []string, text string, whole bool) string {
	all := from(bases, text)
	if len(all) == 0 && !strings.ContainsRune(text, 0) {
		all = []string{"/" + text} // wherever it starts
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

// endingBase is a protected ending with the name of a path of which it isn't known where it leads.
func (c *call) endingBase(text string) string {
	base := path.Base(folded(text))
	at := slices.IndexFunc(c.rules.Protected.Endings, func(e string) bool { return path.Base(e) == base })
	if at < 0 {
		return ""
	}
	return c.rules.Protected.Endings[at]
}

// folded is a path as file systems compare names that see no case.
func folded(text string) string { return strings.ToLower(bare(text)) }
