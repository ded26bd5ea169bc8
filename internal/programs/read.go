package programs

import (
	"strings"

	"github.com/lineclear/lineclear/internal/plain"
)

// reader goes through the arguments of a program in the table.
type reader struct {
	row   row
	words []plain.Word
	at    int

	roles    []Role
	operands []Role
	becomes  string
	noFirst  bool
}

func (r *reader) read() {
	dashes := false
	for ; r.at < len(r.words); r.at++ {
		w := r.words[r.at]
		switch {
		case !dashes && w.Known && w.Text == "--":
			dashes = true
			r.add(Option, w)
		case dashes || w.Known && (!strings.HasPrefix(w.Text, "-") || w.Text == "-"):
			if r.find() {
				continue
			}
			r.operands = append(r.operands, Role{At: r.at, Word: w})
		case !w.Known && mayBeOption(w):
			r.add(Unknown, w)
		case !w.Known:
			r.operands = append(r.operands, Role{At: r.at, Word: w})
		default:
			r.option(w)
		}
	}
	r.assign()
}

func (r *reader) add(kind Kind, w plain.Word) {
	r.roles = append(r.roles, Role{Kind: kind, At: r.at, Word: w})
}

// find takes the words of an expression that are no options.
func (r *reader) find() bool {
	if r.words[0].Text == "find" && (r.words[r.at].Text == "!" || r.words[r.at].Text == "(" || r.words[r.at].Text == ")") {
		r.add(Option, r.words[r.at])
		return true
	}
	return false
}

// option reads one word of options.
func (r *reader) option(w plain.Word) {
	if r.inner(w) {
		return
	}
	name, value, attached := strings.Cut(w.Text, "=")
	o, ok := r.row.options[name]
	switch {
	case ok && attached && o.value != 0:
		r.take(o, plain.Literal(value))
		return
	case ok && !attached:
		r.whole(o, w)
		return
	}
	if _, number := r.row.options["-#"]; number && len(w.Text) > 1 && strings.Trim(w.Text[1:], "0123456789") == "" {
		r.add(Option, w)
		return
	}
	if strings.HasPrefix(w.Text, "--") || r.row.single || !r.cluster(w) {
		r.add(Unknown, w)
	}
}

// whole is an option that is a word by itself.
func (r *reader) whole(o option, w plain.Word) {
	if o.value != ':' {
		r.took(o)
		r.add(Option, w)
		return
	}
	if r.at+1 >= len(r.words) {
		r.add(Unknown, w)
		return
	}
	r.add(Option, w)
	r.at++
	r.take(o, r.words[r.at])
}

// cluster reads letters of which each is an option, the last perhaps with a value.
func (r *reader) cluster(w plain.Word) bool {
	if !r.lettersKnown(w.Text[1:]) {
		return false
	}
	for i := 1; i < len(w.Text); i++ {
		o := r.row.options["-"+w.Text[i:i+1]]
		switch {
		case o.value == ':' && i+1 < len(w.Text), o.value == '=':
			r.take(o, plain.Literal(w.Text[i+1:]))
			return true
		case o.value == ':':
			if r.at+1 >= len(r.words) {
				return false
			}
			r.add(Option, w)
			r.at++
			r.take(o, r.words[r.at])
			return true
		}
		r.took(o)
	}
	r.add(Option, w)
	return true
}

// lettersKnown reports whether each letter is an option, up to one with a value.
func (r *reader) lettersKnown(letters string) bool {
	for i := range len(letters) {
		o, ok := r.row.options["-"+letters[i:i+1]]
		if !ok || o.value != 0 {
			return ok
		}
	}
	return true
}

// took notes what an option means for the operands.
func (r *reader) took(o option) {
	r.noFirst = r.noFirst || o.noFirst
	if o.becomes != "" {
		r.becomes = o.becomes
	}
}

// take reads the value of an option.
func (r *reader) take(o option, value plain.Word) {
	r.took(o)
	made := role(o.kind, o.check, r.at, value)
	if o.noFirst && made.Kind == Text && !script(r.words[0].Text, made) {
		made.Kind = Unknown
	}
	r.roles = append(r.roles, made)
}

// role is a value as what it is, or Unknown where it may be more.
func role(kind Kind, check string, at int, value plain.Word) Role {
	made := Role{Kind: kind, At: at, Word: value}
	switch check {
	case "header", "data":
		if file, found := strings.CutPrefix(value.Text, "@"); found && value.Known {
			return Role{Kind: Read, At: at, Word: plain.Literal(file)}
		}
		if !value.Known {
			made.Kind = Unknown
		}
	case "format":
		if !value.Known || strings.HasPrefix(value.Text, "@") || strings.Contains(value.Text, "%output") || strings.Contains(value.Text, "file=") {
			made.Kind = Unknown
		}
	case "remote":
		if !value.Known || strings.Contains(value.Text, "::") || strings.ContainsAny(value.Text, "/@") && strings.ContainsAny(value.Text, ":@") {
			made.Kind = Unknown
		}
	case "local":
		if !value.Known || strings.Contains(value.Text, ":") {
			made.Kind = Unknown
		}
	case "target":
		if !value.Known || strings.Contains(value.Text, "=") {
			made.Kind = Unknown
		}
	case "plus":
		if !value.Known || !strings.HasPrefix(value.Text, "+") {
			made.Kind = Unknown
		}
	}
	if kind == URL && !value.Each(webURL) {
		made.Kind = Unknown
	}
	return made
}

// webURL reports whether a text is a URL of http, or a host.
func webURL(text string) bool {
	scheme, _, found := strings.Cut(text, "://")
	if !found {
		return !strings.ContainsAny(text, "{}[]@") && !strings.HasPrefix(strings.ToLower(text), "file:")
	}
	return (scheme == "http" || scheme == "https") && !strings.ContainsAny(text, "{}[]")
}

// assign gives the operands their kinds.
func (r *reader) assign() {
	kinds := r.row.operands
	if r.noFirst && len(kinds) > 0 {
		kinds = kinds[1:]
	}
	left := r.operands
	for i, o := range kinds {
		after := 0
		for _, later := range kinds[i+1:] {
			if !later.many && !later.optional {
				after++
			}
		}
		n := min(1, len(left))
		if o.many {
			n = max(0, len(left)-after)
		}
		if n == 0 && o.missing != "" && r.becoming(o.kind) != List {
			r.roles = append(r.roles, Role{Kind: r.becoming(o.kind), At: -1, Word: plain.Literal(o.missing)})
		}
		for j, found := range left[:n] {
			made := r.operand(o, found)
			option := o.many && (o.kind == Text || o.kind == List) && hasSubcommands(r.words[0].Text) && !found.Word.Each(func(text string) bool {
				return !strings.HasPrefix(text, "-") || strings.Contains(passedOn, " "+text+" ")
			})
			made.Remote = o.check == "remote" && i+j == 0
			if option || made.Remote && !found.Word.Each(remoteName) {
				made.Kind = Unknown // an option for the program it runs, or a remote's address
			}
			r.roles = append(r.roles, made)
		}
		left = left[n:]
	}
	for _, found := range left {
		r.roles = append(r.roles, Role{Kind: Unknown, At: found.At, Word: found.Word})
	}
	if r.becomes == "tree" && len(r.operands) < 2 && len(kinds) > 1 && kinds[1].missing == "" { // a recursive search without a folder
		r.roles = append(r.roles, Role{Kind: Tree, At: -1, Word: plain.Literal(".")})
	}
}

// remoteName reports whether a text can only be the name of a remote, not a path or an address.
func remoteName(text string) bool {
	return text != "" && strings.Trim(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}

// becoming is the kind of an operand under the options that were read.
func (r *reader) becoming(kind Kind) Kind {
	if r.becomes != "" && (kind == Read || kind == Shown || kind == Write && r.becomes == "read") {
		return kinds[r.becomes]
	}
	return kind
}

func (r *reader) operand(o operand, found Role) Role {
	made := role(r.becoming(o.kind), o.check, found.At, found.Word)
	if made.Kind == Text && !script(r.words[0].Text, found) ||
		made.Kind != Text && !found.Word.Each(func(text string) bool { return !strings.HasPrefix(text, "@") }) && found.Word.Known { // a response file
		made.Kind = Unknown
	}
	return made
}

// inner skips what find runs, which is a part of its own.
func (r *reader) inner(w plain.Word) bool {
	if r.words[0].Text != "find" || w.Text != "-exec" {
		return false
	}
	for ; r.at < len(r.words); r.at++ {
		r.add(Option, r.words[r.at])
		if text := r.words[r.at].Text; text == ";" || text == "+" && r.words[r.at-1].Text == "{}" {
			break
		}
	}
	return true
}
