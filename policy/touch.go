package policy

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/internal/programs"
)

// Beyond these limits a part may touch any file.
const (
	maxNamed  = 1000 // files of a command
	maxPieces = 256  // files in a word
)

// named is a file that a part may use.
type named struct {
	word plain.Word
	kind programs.Kind // how; Unknown if the program or an option is unknown
}

// below reports whether using a folder means using everything in it.
func (n named) below() bool {
	switch n.kind {
	case programs.Tree, programs.Shown, programs.Drop, programs.Unknown, programs.Code:
		return true
	case programs.Option, programs.Text, programs.Read, programs.List, programs.Write, programs.Make, programs.Dir, programs.URL:
	}
	return false
}

// filesOf returns the files that a part may use, by redirections and arguments.
func (c *call) filesOf(part *plain.Part) []named {
	if found, ok := c.files[part]; ok {
		return found
	}
	var all []named
	for _, f := range part.Files {
		kind := programs.Read
		if f.Write {
			kind = programs.Write
		}
		all = append(all, named{f.Path, kind})
	}
	roles := c.rolesOf(part)
	if part.Inner != nil && !c.about(part).use.Known {
		roles = nil // the words belong to the command it runs
	}
	sure := part.Builtin || c.about(part).use.Known && !slices.ContainsFunc(roles, func(r programs.Role) bool {
		return r.Kind == programs.Unknown || r.Kind == programs.Code
	})
	finds := c.findsFor(part)
	for _, r := range roles {
		if r.Kind == programs.Unknown && strings.Contains(r.Word.Text, "from") { // --files-from=list, --files0-from=list
			all = append(all, named{kind: programs.Unknown})
		}
		if r.Kind == programs.List && finds != programs.List {
			r.Kind = finds
		}
		if len(all) > maxNamed {
			all = append(all, named{kind: programs.Unknown})
			break
		}
		if r.Kind != programs.Option && (r.Kind != programs.Text || !sure) {
			all = append(all, c.namesIn(part, r, sure)...)
		}
	}
	if part.More && !part.Below {
		all = append(all, named{kind: programs.Unknown})
	}
	if c.files == nil {
		c.files = map[*plain.Part][]named{}
	}
	c.files[part] = all
	return all
}

// findsFor returns how the folders of a find are used: its results may be passed to another command
// of the line.
func (c *call) findsFor(part *plain.Part) programs.Kind {
	if filepath.Base(part.Program().Text) != "find" {
		return programs.List
	}
	kind := programs.List
	if part.Inner != nil {
		kind = programs.Tree
	}
	for other := range c.parts() {
		switch {
		case other.Below && c.partChanges(other):
			return programs.Drop
		case other.Below:
			kind = programs.Tree
		}
	}
	return kind
}

// partChanges reports whether a part does more than read.
func (c *call) partChanges(part *plain.Part) bool {
	known := c.about(part)
	return !known.use.Known || known.hazard >= 0 || slices.ContainsFunc(known.use.Roles, func(r programs.Role) bool { return r.Kind == programs.Unknown || r.Kind == programs.Code })
}

// rolesOf returns the roles of a part's words, also for shell builtins.
func (c *call) rolesOf(part *plain.Part) []programs.Role {
	if !part.Builtin {
		return c.about(part).use.Roles
	}
	kind := programs.Text
	switch part.Program().Text {
	case "cd":
		kind = programs.Dir
	case "test", "[":
		kind = programs.List
	}
	var roles []programs.Role
	for i, w := range part.Words[1:] {
		roles = append(roles, programs.Role{Kind: kind, At: i + 1, Word: w})
	}
	return roles
}

// namesIn returns the files that an argument may name. sure says that all arguments of the program are
// understood.
func (c *call) namesIn(part *plain.Part, r programs.Role, sure bool) []named {
	kind := r.Kind
	if !sure {
		kind = programs.Unknown
	}
	if !r.Word.Known && r.Word.Any == nil {
		all := c.pieces(part, r.Word.Text, kind, false)
		for i := range all {
			all[i].word.Known = false
		}
		return append(all, named{r.Word, kind})
	}
	var all []named
	r.Word.Each(func(text string) bool {
		all = append(all, c.pieces(part, text, kind, sure)...)
		return true
	})
	return all
}

// pieces returns the files that a text may name: as a whole, in a URL, in a list such as /etc:/m or
// source=/etc,target=/m, and attached to an option. A bare word that is not sure counts only if
// such a file exists.
func (c *call) pieces(part *plain.Part, text string, kind programs.Kind, sure bool) []named {
	separator := func(r rune) bool { return strings.ContainsRune(",:=@", r) }
	if strings.Count(text, "/")+len(strings.FieldsFunc(text, separator)) > maxPieces {
		return []named{{kind: programs.Unknown}}
	}
	var all []named
	add := func(piece string, sure bool) {
		if piece != "" && (sure || strings.HasPrefix(piece, "~") || strings.HasPrefix(piece, ".") || strings.Contains(piece, "/") || c.exists(part, piece)) {
			all = append(all, named{plain.Literal(piece), kind})
		}
	}
	for field := range strings.SplitSeq(text, ",") {
		if files, is := urlFiles(field); is {
			for _, f := range files {
				all = append(all, named{f, kind})
			}
			before, _, _ := strings.Cut(field, "://")
			field = before
		}
		for piece := range strings.FieldsFuncSeq(field, separator) {
			if piece != text {
				add(piece, false)
			}
			if !strings.HasPrefix(piece, "-") || sure {
				continue
			}
			for i := 2; i < len(piece); i++ { // -I/usr, -flink, -rf/etc
				if i == 2 || piece[i] == '/' && piece[i-1] != '/' || c.exists(part, piece[i:]) {
					add(piece[i:], false)
				}
			}
		}
	}
	if _, is := urlFiles(text); !is && kind != programs.URL && (sure || !strings.HasPrefix(text, "-")) {
		add(text, sure)
	}
	return all
}

// exists reports whether a text names an existing file, or leads through a link that another part creates.
func (c *call) exists(part *plain.Part, text string) bool {
	if strings.ContainsRune(text, 0) || len(text) > 255 {
		return false
	}
	return c.replaced(part, text) || slices.ContainsFunc(from(c.dirsOf(part), text), c.isThere)
}

// dirsOf returns the folders that a part's relative paths may start from; none if unknown.
func (c *call) dirsOf(part *plain.Part) []string {
	if filepath.IsAbs(part.Dir) {
		return []string{part.Dir}
	}
	dirs := c.bases()
	if part.Dir == "" {
		return dirs
	}
	all := make([]string, len(dirs))
	for i, dir := range dirs {
		all[i] = join(dir, part.Dir)
	}
	return all
}

// touch says whether a part uses a folder of a rule.
type touch struct {
	answer programs.Answer
	why    string // of Maybe
	vague  bool   // Maybe only because a word is unknown
	reads  bool   // Maybe only because a folder around it is read
}

// touches reports whether a part uses something in a folder.
func (c *call) touches(folder string, part *plain.Part) touch {
	best := touch{}
	for _, n := range c.filesOf(part) {
		found := c.touched(folder, part, n)
		if found.answer > best.answer || found.answer == best.answer && (best.vague || best.reads) && !found.vague {
			best = found
		}
		if best.answer == programs.Yes {
			break
		}
	}
	return best
}

func (c *call) touched(folder string, part *plain.Part, n named) touch {
	bases := c.dirsOf(part)
	if !n.word.Known && n.word.Any == nil {
		return touch{answer: programs.Maybe, why: "a path is not known before it runs", vague: !c.mayBegin(folder, bases, n.word.Text)}
	}
	best := touch{}
	n.word.Each(func(text string) bool {
		found := touch{answer: c.within(folder, bases, text, toForbid), why: "where " + text + " leads is not known"}
		found.vague = found.answer == programs.Maybe
		switch {
		case found.answer == programs.Yes:
		case c.replaced(part, text):
			found = touch{answer: programs.Maybe, why: found.why}
		case n.below() && c.around(folder, bases, text, n.kind == programs.Shown) && c.mayBeThere(folder):
			found = touch{answer: programs.Maybe, why: fmt.Sprintf("%q contains %s", text, folder), reads: n.kind == programs.Tree || n.kind == programs.Shown}
		case c.foreign(bases, text):
			found.vague = false
		}
		if found.answer > best.answer || found.answer == best.answer && best.vague {
			best = found
		}
		return true
	})
	return best
}

// mayBegin reports whether a path with this beginning may lead into a folder.
func (c *call) mayBegin(folderText string, bases []string, text string) bool {
	folder, ok := c.folder(folderText)
	if !ok || text == "" {
		return false
	}
	return slices.ContainsFunc(from(bases, text), func(path string) bool {
		if folder.holds(c.places.at(path), toForbid) == programs.Yes {
			return true
		}
		at := strings.LastIndexByte(path, '/') + 1
		start := path[at:]
		dir := c.places.at(path[:at])
		for _, in := range [][2]string{{folder.lexical, dir.lexical}, {folder.resolved, dir.resolved}} {
			rest, below := strings.CutPrefix(in[0], strings.TrimSuffix(in[1], "/")+"/")
			if below && start != "" && strings.HasPrefix(rest, start) {
				return true
			}
		}
		return start != "" && strings.Trim(start, ".") == "" // which may lead upwards
	})
}

// around reports whether a path contains the folder. With shown set, names with a dot on the way to
// it hide it.
func (c *call) around(folderText string, bases []string, path string, shown bool) bool {
	folder, ok := c.folder(folderText)
	return ok && slices.ContainsFunc(c.placesOf(bases, path), func(p place) bool {
		if !below(p.lexical, folder.lexical) && !below(p.resolved, folder.resolved) {
			return false
		}
		return !(shown && strings.Contains(strings.TrimPrefix(folder.lexical, p.lexical), "/.") && strings.Contains(strings.TrimPrefix(folder.resolved, p.resolved), "/."))
	})
}

// mayBeThere reports whether a rule's path may exist where the tool runs.
func (c *call) mayBeThere(folderText string) bool {
	folder, ok := c.folder(folderText)
	return !ok || !c.Spec.Hints.Trusted || slices.Contains(c.rules.Protected.Deny, folderText) || c.isThere(folder.lexical)
}

// isThere reports whether a file exists.
func (c *call) isThere(path string) bool {
	is, known := c.there[path]
	if !known {
		_, err := os.Lstat(path)
		is = err == nil
		c.there[path] = is
	}
	return is
}

// foreign reports whether a path leads through what belongs to another process.
func (c *call) foreign(bases []string, path string) bool {
	return slices.ContainsFunc(c.placesOf(bases, path), func(p place) bool { return p.foreign })
}

// partWrites reports whether a part writes, creates or deletes files that it names.
func (c *call) partWrites(part *plain.Part) bool {
	return slices.ContainsFunc(part.Files, func(f plain.File) bool { return f.Write && !plain.NullDevice(f.Path.Text) }) ||
		slices.ContainsFunc(c.rolesOf(part), func(r programs.Role) bool {
			return r.Kind == programs.Write || r.Kind == programs.Make || r.Kind == programs.Drop
		})
}
