package cmdline

import "strings"

// writtenFiles adds the files that a program writes by its arguments, for
// programs that mostly read.
func writtenFiles(p *Part, name string) {
	switch name {
	case "tee":
		for i, w := range p.Words[1:] {
			if !w.Known && mayBeOption(w) || !strings.HasPrefix(w.Text, "-") || afterDashes(p.Words, i+1) {
				p.writes(w)
			}
		}
	case "dd":
		for _, w := range p.Words[1:] {
			if path, ok := strings.CutPrefix(w.Text, "of="); ok {
				w.Text = path
				p.writes(w)
			} else if !w.Known && mayBeOption(w) {
				p.writes(w)
			}
		}
	case "sort", "shuf", "gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "as", "pandoc", "iconv":
		p.optionFiles("o", "output")
	case "curl":
		p.optionFiles("ocD", "output", "output-dir", "cookie-jar", "dump-header", "trace", "trace-ascii", "stderr", "hsts", "alt-svc", "etag-save", "libcurl")
	case "wget":
		p.optionFiles("OoaP", "output-document", "output-file", "append-output", "directory-prefix", "save-cookies", "rejected-log", "warc-file")
	case "tree":
		p.optionFiles("o")
	case "git":
		p.optionFiles("", "output")
		if sub := gitSubcommand(p.Words); sub > 0 {
			switch p.Words[sub].Text {
			case "archive", "format-patch", "bugreport", "diagnose":
				p.optionFiles("o", "output-directory")
			}
		}
	case "go":
		p.flagFiles(goWrites)
	case "gofmt", "openssl", "ffmpeg":
		p.flagFiles(func(flag string) bool { return flag == "cpuprofile" || flag == "out" || flag == "report" })
	default:
		moreWritten(p, name)
	}
}

func moreWritten(p *Part, name string) {
	switch name {
	case "uniq":
		p.secondFile("fsw")
	case "xxd":
		p.secondFile("cglosnR")
	case "tar", "gtar", "bsdtar":
		p.optionFiles("C", "directory", "cd", "index-file")
	case "unzip":
		p.optionFiles("d")
	case "patch":
		p.optionFiles("odr", "output", "directory", "reject-file")
	case "gpg", "gpg2", "base64", "csplit":
		p.optionFiles("of", "output", "prefix")
	case "pytest", "py.test":
		p.optionFiles("", "junitxml", "junit-xml", "log-file", "basetemp", "cov-report", "report-log", "resultlog")
	}
}

// flagFiles adds the values of options with long names after one dash or two.
func (p *Part) flagFiles(writes func(flag string) bool) {
	for i, w := range p.Words {
		flag, value, has := strings.Cut(strings.TrimLeft(w.Text, "-"), "=")
		switch {
		case !strings.HasPrefix(w.Text, "-") || !writes(strings.TrimPrefix(flag, "test.")):
		case has:
			p.writes(Word{Text: value, Known: w.Known})
		case i+1 < len(p.Words):
			p.writes(p.Words[i+1])
		}
	}
}

func goWrites(flag string) bool {
	switch flag {
	case "o", "coverprofile", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace", "outputdir", "pkgdir", "debug-trace", "debug-actiongraph", "testlogfile", "gocoverdir", "fuzzcachedir", "modfile":
		return true
	}
	return false
}

func (p *Part) writes(w Word) {
	if w.Known && standardDevice(w.Text) {
		return
	}
	p.Files = append(p.Files, File{Path: w, Write: true})
}

// optionFiles adds the values of options, by their letters and their long
// names, which may be cut short.
func (p *Part) optionFiles(letters string, long ...string) {
	for i, w := range p.Words {
		switch {
		case i == 0:
		case endsOptions(p.Words, i):
			return
		case strings.HasPrefix(w.Text, "--"):
			name, value, has := strings.Cut(w.Text[2:], "=")
			for _, l := range long {
				switch {
				case name == "" || !strings.HasPrefix(l, name):
				case has:
					p.writes(Word{Text: value, Known: w.Known})
				case i+1 < len(p.Words):
					p.writes(p.Words[i+1])
				}
			}
		case shortOptions(w.Text):
			at := strings.IndexAny(w.Text[1:], letters)
			switch {
			case letters == "" || at < 0:
			case at+2 < len(w.Text) || !w.Known:
				p.writes(Word{Text: w.Text[at+2:], Known: w.Known})
			case i+1 < len(p.Words):
				p.writes(p.Words[i+1])
			}
		}
	}
}

// secondFile adds the arguments after the first that are neither an option nor
// the value of one.
func (p *Part) secondFile(valued string) {
	n := 0
	for i := 1; i < len(p.Words); i++ {
		w := p.Words[i]
		switch {
		case w.Known && len(w.Text) > 1 && w.Text[0] == '-' && (len(w.Text) == 2 || strings.Trim(w.Text[1:len(w.Text)-1], "cdDiuz") == "") && strings.Contains(valued, w.Text[len(w.Text)-1:]) && !afterDashes(p.Words, i):
			i++
		case w.Known && strings.HasPrefix(w.Text, "-") && w.Text != "-" && !afterDashes(p.Words, i):
		case w.Many:
			p.writes(Word{Many: true})
		default:
			if n++; n >= 2 {
				p.writes(w)
			}
		}
	}
}

func afterDashes(words []Word, at int) bool {
	for i := range words[:at] {
		if i > 0 && endsOptions(words, i) {
			return true
		}
	}
	return false
}
