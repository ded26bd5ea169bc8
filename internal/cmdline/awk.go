package cmdline

import "strings"

// awk notes programs of awk that may run others or write files.
func awk(p *Part) {
	for i := 1; i < len(p.Words); i++ {
		w := p.Words[i]
		switch {
		case !w.Known && mayBeOption(w):
			p.markUnknown(i, "an argument that is not known could be an option")
			return
		case !w.Known:
			p.markUnknown(i, "runs code that is not known (awk)")
			return
		case w.Text == "--":
			continue
		case w.Text == "-F" || w.Text == "-v":
			if i+1 < len(p.Words) && p.Words[i+1].Many {
				p.markUnknown(i+1, "an argument that is not known could be several")
				return
			}
			i++
			continue
		case strings.HasPrefix(w.Text, "-F") || strings.HasPrefix(w.Text, "-v"), w.Text == "--version":
			continue
		case strings.HasPrefix(w.Text, "-"):
			p.markUnknown(i, "runs code that is not seen (awk %s)", w.Text)
			return
		}
		if awkRuns(w.Text) {
			p.markUnknown(i, "its program runs others or writes files (awk)")
		}
		return
	}
}

func awkRuns(program string) bool {
	for _, word := range []string{"system", "getline", "@", "extension", "ARGV", "ARGC", "ENVIRON", "SYMTAB", "FUNCTAB", "\\\n"} {
		if strings.Contains(program, word) {
			return true
		}
	}
	if strings.Contains(strings.ReplaceAll(program, "||", ""), "|") {
		return true
	}
	return strings.Contains(program, ">") && strings.Contains(program, "print")
}

// jq notes programs of jq that read the environment or files of their own.
func jq(p *Part) {
	for i, w := range p.Words[1:] {
		if strings.HasPrefix(w.Text, "-") {
			continue
		}
		fields := strings.FieldsFunc(w.Text, func(c rune) bool { return strings.ContainsRune(" \t\n|,;()[]{}:+-*/<>=!?#", c) })
		for _, word := range fields {
			switch word {
			case "env", "$ENV", "import", "include", "$__prog_args", "get_search_list", "input_line_number":
				p.markUnknown(i+1, "its program reads what no word names (jq)")
			}
			if strings.HasPrefix(word, "$ENV.") || strings.HasPrefix(word, "env.") {
				p.markUnknown(i+1, "its program reads what no word names (jq)")
			}
		}
	}
}

// sed notes scripts of sed that are more than plain editing, and the files that
// it edits in place.
func sed(p *Part) {
	inPlace, scripts := false, 0
	var plain []int // the arguments that are no options
	for i := 1; i < len(p.Words); i++ {
		w := p.Words[i]
		switch {
		case !w.Known && mayBeOption(w):
			p.markUnknown(i, "an argument that is not known could be an option")
			return
		case !strings.HasPrefix(w.Text, "-") || w.Text == "-":
			plain = append(plain, i)
		case strings.HasPrefix(w.Text, "--expression="):
			scripts++
			sedScript(p, i, known(strings.TrimPrefix(w.Text, "--expression=")))
		case w.Text == "-i" || w.Text == "--in-place" || w.Text == "-i.bak" || w.Text == "-ni" || w.Text == "-Ei" || w.Text == "-ri":
			inPlace = true
		case w.Text == "--expression" || w.Text != "--" && harmlessSed(w.Text):
			if strings.HasSuffix(w.Text, "e") && !strings.HasPrefix(w.Text, "--") || w.Text == "--expression" {
				i++
				scripts++
				if i < len(p.Words) {
					sedScript(p, i, p.Words[i])
				}
			}
		default:
			p.markUnknown(i, "has an option that is not understood (sed %s)", w.Text)
			return
		}
	}
	if scripts == 0 && len(plain) > 0 {
		sedScript(p, plain[0], p.Words[plain[0]])
		plain = plain[1:]
	}
	for _, i := range plain {
		if inPlace {
			p.Files = append(p.Files, File{Path: p.Words[i], Write: true})
		}
	}
}

func harmlessSed(option string) bool {
	switch option {
	case "--quiet", "--silent", "--regexp-extended", "--separate", "--unbuffered", "--null-data", "--debug", "--posix", "--sandbox", "--version", "--help":
		return true
	}
	return !strings.HasPrefix(option, "--") && strings.Trim(strings.TrimSuffix(option[1:], "e"), "nErsuz") == ""
}

func sedScript(p *Part, at int, script Word) {
	if !script.Known || !plainSed(script.Text) {
		p.markUnknown(at, "its script may run others or write files (sed)")
	}
}
