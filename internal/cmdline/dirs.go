package cmdline

import (
	"path"
	"slices"
	"strings"
)

// maxDirs is how many directories a part may start in before that counts as unknown.
const maxDirs = 8

// maxSteps is how deep cd can be followed; each part below looks its folders up.
const maxSteps = 20

// dirs are the directories in which a command may run. The zero value is the
// call's own.
type dirs struct {
	set     []string // sorted, "" is the call's own; empty: only that
	unknown bool
}

func (d dirs) bases() Bases {
	if d.unknown {
		return Bases{Unknown: true}
	}
	return Bases{Dirs: d.set}
}

func fromBases(b Bases) dirs { return dirs{set: b.Dirs, unknown: b.Unknown} }

// join is where a cd to a known target leads.
func (d dirs) join(target string) dirs {
	if d.unknown && !strings.HasPrefix(target, "/") {
		return d
	}
	if climbsBack(target) {
		return dirs{unknown: true} // shells take it by its letters, and the system does not
	}
	var set []string
	for _, base := range d.all() {
		if strings.Count(base, "/") > maxSteps {
			return dirs{unknown: true}
		}
		switch {
		case strings.HasPrefix(target, "/") || base == "":
			set = append(set, target)
		default:
			set = append(set, step(base, target))
		}
	}
	return newDirs(set)
}

// climbsBack says whether a path goes up again from a directory that it went
// down to.
func climbsBack(path string) bool {
	down := strings.HasPrefix(path, "/")
	for name := range strings.SplitSeq(path, "/") {
		if name == ".." && down {
			return true
		}
		down = down || name != ".." && name != "." && name != ""
	}
	return false
}

// step goes on from a base: shells take .. by the letters of the path that they
// came by.
func step(base, target string) string {
	joined := strings.TrimSuffix(base, "/") + "/" + target
	if climbsBack(joined) {
		if joined = path.Clean(joined); joined == "." {
			return ""
		}
	}
	return joined
}

// or is either.
func (d dirs) or(other dirs) dirs {
	if d.unknown || other.unknown {
		return dirs{unknown: true}
	}
	return newDirs(slices.Concat(d.all(), other.all()))
}

func (d dirs) all() []string {
	if len(d.set) == 0 {
		return []string{""}
	}
	return d.set
}

func newDirs(set []string) dirs {
	slices.Sort(set)
	set = slices.Compact(set)
	switch {
	case len(set) > maxDirs:
		return dirs{unknown: true}
	case len(set) == 1 && set[0] == "":
		return dirs{}
	}
	return dirs{set: set}
}
