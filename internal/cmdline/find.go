package cmdline

import "strings"

// findActions reads what find does with what it finds.
func findActions(p *Part) []inside {
	var inner []inside
	beginning := findBeginning(p.Words)
	for i := 1; i < len(p.Words); i++ {
		w := p.Words[i]
		switch {
		case !w.Known && (mayBeOption(w) || w.Many && !w.Glob):
			p.markUnknown(i, "an argument that is not known could be an option")
			continue
		case !w.Known:
			continue
		}
		switch w.Text {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := findEnd(p.Words, i+1, strings.HasPrefix(w.Text, "-exec"))
			if end == i+1 {
				p.markUnknown(i, "runs what is not known (find %s)", w.Text)
				return inner
			}
			part := p.inner(fill(p.Words[i+1:end], "{}", beginning))
			if strings.HasSuffix(w.Text, "dir") {
				part.Bases = Bases{Unknown: true}
			}
			if !p.Words[i+1].Known || strings.Contains(p.Words[i+1].Text, "{}") {
				part.Words[0].Known = false
			}
			inner = append(inner, inside{part: part})
			i = end
		case "-delete":
			p.markUnknown(i, "deletes what it finds (find -delete)")
		case "-fprint", "-fprint0", "-fprintf", "-fls":
			if i+1 < len(p.Words) {
				p.writes(p.Words[i+1])
			}
			i = findValues(p, i, findTakes(w.Text))
		default:
			values := findTakes(w.Text)
			if values < 0 {
				p.markUnknown(i, "has an option that is not understood (find %s)", w.Text)
			}
			i = findValues(p, i, values)
		}
	}
	return inner
}

// findEnd returns the index of the word that ends an action of find.
func findEnd(words []Word, from int, plus bool) int {
	for i := from; i < len(words); i++ {
		if words[i].Known && (words[i].Text == ";" || plus && words[i].Text == "+" && i > from && words[i-1].Text == "{}") {
			return i
		}
	}
	return len(words)
}

// findBeginning is what each path that find finds begins with: nothing that
// could be an option, where its starting points are known.
func findBeginning(words []Word) string {
	for _, w := range words[1:] {
		if w.Text == "-files0-from" || w.Text == "-f" {
			return ""
		}
	}
	for _, w := range words[1:] {
		if w.Known && (w.Text == "-H" || w.Text == "-L" || w.Text == "-P" || strings.HasPrefix(w.Text, "-O")) {
			continue
		}
		if w.Known && (strings.HasPrefix(w.Text, "-") || w.Text == "(" || w.Text == "!") {
			break
		}
		if w.Text == "" || !strings.HasPrefix(w.Text, ".") {
			return ""
		}
	}
	return "."
}

// findTakes returns how many values follow a word of find, or -1 for an option
// that is not understood: nobody knows then which words are its values.
func findTakes(word string) int {
	switch word {
	case "-amin", "-anewer", "-atime", "-cmin", "-cnewer", "-ctime", "-fls", "-fprint", "-fprint0", "-fstype", "-gid", "-group",
		"-ilname", "-iname", "-inum", "-ipath", "-iregex", "-iwholename", "-links", "-lname", "-maxdepth", "-mindepth", "-mmin",
		"-mtime", "-name", "-newer", "-path", "-perm", "-printf", "-regex", "-regextype", "-samefile", "-size", "-type", "-uid",
		"-used", "-user", "-wholename", "-xtype":
		return 1
	case "-fprintf":
		return 2
	case "--", "-", "-H", "-P", "-O0", "-O1", "-O2", "-O3", "-a", "-and", "-d", "-daystart", "-depth", "-empty", "-executable", "-false",
		"-help", "--help", "-ignore_readdir_race", "-ls", "-mount", "-nogroup", "-noignore_readdir_race", "-noleaf", "-not",
		"-nouser", "-nowarn", "-o", "-or", "-print", "-print0", "-prune", "-quit", "-readable", "-true", "-version", "--version",
		"-warn", "-writable", "-xdev":
		return 0
	}
	switch {
	case !strings.HasPrefix(word, "-"):
		return 0
	case len(word) == len("-newerXY") && strings.HasPrefix(word, "-newer") && strings.Trim(word[len("-newer"):], "aBcmt") == "":
		return 1
	}
	return -1
}

// findValues passes over the values after a word of find.
func findValues(p *Part, at, values int) int {
	for range values {
		if at+1 >= len(p.Words) {
			break
		}
		at++
		if p.Words[at].Many {
			p.markUnknown(at, "an argument that is not known could be several")
		}
	}
	return at
}

// fdActions reads what fd does with what it finds.
func fdActions(p *Part) []inside {
	for i := 1; i < len(p.Words); i++ {
		w := p.Words[i]
		switch {
		case !w.Known && mayBeOption(w):
			p.markUnknown(i, "an argument that is not known could be an option")
		case w.Known && (w.Text == "-x" || w.Text == "-X" || w.Text == "--exec" || w.Text == "--exec-batch"):
			end := findEnd(p.Words, i+1, true)
			if end == i+1 {
				p.markUnknown(i, "runs what is not known (fd %s)", w.Text)
				return nil
			}
			words := p.Words[i+1 : end]
			if strings.Contains(words[0].Text, "{") {
				p.markUnknown(i+1, "runs what is not known (fd %s)", w.Text)
				return nil
			}
			return []inside{{part: p.inner(append(fill(words, "{", ""), Word{Many: true}))}}
		case w.Known && (shortOptions(w.Text) && strings.Contains(w.Text, "L") || strings.HasPrefix(w.Text, "--fo")):
			p.markUnknown(i, "follows links to wherever they lead (fd %s)", w.Text)
		case w.Known && shortOptions(w.Text) && strings.ContainsAny(w.Text, "xX") || strings.HasPrefix(w.Text, "--exe"):
			p.markUnknown(i, "runs what is not known (fd %s)", w.Text)
		}
	}
	return nil
}
