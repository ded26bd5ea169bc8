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
			p.blame(i, "an argument that is not known could be an option")
			continue
		case !w.Known:
			continue
		}
		switch w.Text {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := findEnd(p.Words, i+1)
			if end == i+1 {
				p.blame(i, "runs what is not known (find %s)", w.Text)
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
			p.blame(i, "deletes what it finds (find -delete)")
		case "-fprint", "-fprint0", "-fprintf", "-fls":
			if i+1 < len(p.Words) {
				p.Files = append(p.Files, File{Path: p.Words[i+1], Write: true})
				i++
			}
		default:
			if findValue(w.Text) && i+1 < len(p.Words) && !p.Words[i+1].Many {
				i++
			} else if findValue(w.Text) && i+1 < len(p.Words) && p.Words[i+1].Many {
				p.blame(i+1, "an argument that is not known could be several")
				i++
			}
		}
	}
	return inner
}

// findEnd returns the index of the word that ends an action of find.
func findEnd(words []Word, from int) int {
	for i := from; i < len(words); i++ {
		if words[i].Known && (words[i].Text == ";" || words[i].Text == "+" && i > from && words[i-1].Text == "{}") {
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
		if w.Known && (w.Text == "-H" || w.Text == "-L" || w.Text == "-P") {
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

// findValue says whether a test of find is followed by its value.
func findValue(test string) bool {
	switch test {
	case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-lname", "-ilname", "-type", "-xtype",
		"-size", "-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-newer", "-anewer", "-cnewer", "-perm", "-user", "-group",
		"-uid", "-gid", "-maxdepth", "-mindepth", "-printf", "-regextype", "-links", "-inum", "-samefile", "-fstype", "-used", "-newermt":
		return true
	}
	return false
}

// fdActions reads what fd does with what it finds.
func fdActions(p *Part) []inside {
	for i := 1; i < len(p.Words); i++ {
		w := p.Words[i]
		switch {
		case !w.Known && mayBeOption(w):
			p.blame(i, "an argument that is not known could be an option")
		case w.Known && (w.Text == "-x" || w.Text == "-X" || w.Text == "--exec" || w.Text == "--exec-batch"):
			end := findEnd(p.Words, i+1)
			if end == i+1 {
				p.blame(i, "runs what is not known (fd %s)", w.Text)
				return nil
			}
			words := p.Words[i+1 : end]
			if strings.Contains(words[0].Text, "{") {
				p.blame(i+1, "runs what is not known (fd %s)", w.Text)
				return nil
			}
			return []inside{{part: p.inner(append(fill(words, "{", ""), Word{Many: true}))}}
		case w.Known && shortOptions(w.Text) && strings.ContainsAny(w.Text, "xX") || strings.HasPrefix(w.Text, "--exe"):
			p.blame(i, "runs what is not known (fd %s)", w.Text)
		}
	}
	return nil
}
