package cmdline

import "strings"

// goRuns notes what go runs by other ways than its options' names say: the
// options that it hands on to the compiler and the linker, and settings.
func goRuns(p *Part) {
	setting := len(p.Words) > 1 && p.Words[1].Text == "env"
	for i := 1; i < len(p.Words); i++ {
		w := p.Words[i]
		if !strings.HasPrefix(w.Text, "-") {
			continue
		}
		name, value, has := strings.Cut(strings.TrimLeft(w.Text, "-"), "=")
		values := Word{Text: value, Known: w.Known}
		if !has {
			values = Word{}
			if i+1 < len(p.Words) {
				values = p.Words[i+1]
			}
		}
		switch {
		case strings.HasSuffix(name, "flags") && !plainGoFlags(name, values):
			p.markUnknown(i, "an option may run something else or write files (go %s)", w.Text)
		case strings.HasPrefix(name, "debug-"):
			p.markUnknown(i, "an option may write files (go %s)", w.Text)
		case name == "compiler" && values.Text != "gc":
			p.markUnknown(i, "an option may run something else (go %s)", w.Text)
		case setting && (name == "w" || name == "u"):
			p.markUnknown(i, "sets what go may run later (go env %s)", w.Text)
		}
	}
}

// plainGoFlags says whether what an option hands on only changes what is built.
func plainGoFlags(option string, value Word) bool {
	text := value.Text
	if !value.Known {
		return false
	}
	if !strings.HasPrefix(text, "-") {
		if _, after, ok := strings.Cut(text, "="); ok && !strings.ContainsAny(text[:len(text)-len(after)], "'\" \t") {
			text = after // for the packages before the =
		}
	}
	fields, ok := goFields(text)
	if !ok {
		return false
	}
	for i := 0; i < len(fields); i++ {
		switch option + " " + strings.Replace(fields[i], "--", "-", 1) {
		case "ldflags -s", "ldflags -w", "gcflags -N", "gcflags -l", "gcflags -l=4", "gcflags -m", "gcflags -m=1", "gcflags -m=2", "gcflags -S", "gcflags -B", "gcflags -e":
		case "ldflags -X":
			i++ // the value of a variable
		default:
			if option != "ldflags" || !strings.HasPrefix(fields[i], "-X=") {
				return false
			}
		}
	}
	return true
}

// goFields splits a text the way go does: at spaces, where a field that begins
// with a quote goes up to the next such quote.
func goFields(text string) ([]string, bool) {
	var fields []string
	for {
		text = strings.TrimLeft(text, " \t\n\r")
		if text == "" {
			return fields, true
		}
		if quote := text[0]; quote == '\'' || quote == '"' {
			field, rest, ok := strings.Cut(text[1:], string(quote))
			if !ok {
				return nil, false
			}
			fields, text = append(fields, field), rest
			continue
		}
		end := strings.IndexAny(text, " \t\n\r")
		if end < 0 {
			end = len(text)
		}
		fields, text = append(fields, text[:end]), text[end:]
	}
}
