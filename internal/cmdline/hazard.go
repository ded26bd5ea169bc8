package cmdline

import (
	"fmt"
	"strings"
)

// Level is how bad what a command does may be.
type Level int

// The levels. The zero Level is for what harms nothing that is known.
const (
	None Level = iota
	Low
	Medium
	High
	Critical
)

// String is the level in lower case.
func (l Level) String() string {
	switch l {
	case None:
		return "none"
	case Low:
		return "low"
	case Medium:
		return "medium"
	case High:
		return "high"
	case Critical:
		return "critical"
	}
	return fmt.Sprintf("Level(%d)", int(l))
}

// Hazard is one thing that could do harm, in words for people.
type Hazard struct {
	Level  Level
	Text   string
	Writes []File // the files it writes by redirection, for who knows which may be written
	Bases  Bases  // where their relative paths start
}

// Hazards returns what a line could do harm with, in the order of the line.
func (l Line) Hazards() []Hazard {
	var all []Hazard
	for _, why := range l.Unknown {
		all = append(all, Hazard{Level: High, Text: "can't be known: " + why})
	}
	fetches, runs := "", len(l.Unknown) > 0
	for _, p := range l.Parts {
		all = append(all, p.Hazards()...)
		if name := p.name(); name == "curl" || name == "wget" || name == "fetch" {
			fetches = name
		} else if _, code := languageOf(name); len(p.Opaque) > 0 && (code || shellName(name) || name == "." || name == "source") {
			runs = true
		}
	}
	if fetches != "" && runs {
		all = append(all, Hazard{Level: Critical, Text: "may run what it downloads (" + fetches + ")"})
	}
	return all
}

func (p Part) name() string {
	if len(p.Words) == 0 {
		return ""
	}
	return base(p.Words[0].Text)
}

// Hazards returns what the command by itself could do harm with.
func (p Part) Hazards() []Hazard {
	var all []Hazard
	for _, why := range p.Opaque {
		all = append(all, Hazard{Level: High, Text: why, Bases: p.Bases})
	}
	if len(p.Words) > 0 && !p.Words[0].Known {
		all = append(all, Hazard{Level: High, Text: "runs a program that is not known", Bases: p.Bases})
	}
	if level, text := programHazard(p); level != None {
		all = append(all, Hazard{Level: level, Text: text, Bases: p.Bases})
	}
	for _, a := range p.Assigns {
		if dangerousName(a.Name) {
			all = append(all, Hazard{Level: High, Text: "sets a variable that changes which code runs (" + a.Name + ")", Bases: p.Bases})
		}
	}
	for _, f := range p.Files {
		if f.Write {
			level, text := writeHazard(f.Path)
			all = append(all, Hazard{Level: level, Text: text, Writes: []File{f}, Bases: p.Bases})
		}
	}
	return all
}

func writeHazard(path Word) (Level, string) {
	text := path.Text
	if !path.Known {
		text += "…"
	}
	switch {
	case strings.HasPrefix(text, "/dev/tcp/"), strings.HasPrefix(text, "/dev/udp/"):
		return High, "opens a connection (" + text + ")"
	case isDisk(text):
		return Critical, "overwrites a disk (" + text + ")"
	}
	return Low, "writes a file (" + text + ")"
}

func isDisk(path string) bool {
	for _, prefix := range []string{"/dev/sd", "/dev/hd", "/dev/vd", "/dev/xvd", "/dev/nvme", "/dev/disk", "/dev/mmcblk", "/dev/mem", "/dev/mapper", "/dev/dm-"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}
