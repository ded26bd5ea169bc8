package audit_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
)

// forms changes what a line looks like.
func (m *tamperer) forms() {
	lines := bytes.SplitAfter(written(m.t, m.chain), []byte("\n"))
	lines = lines[:len(lines)-1]
	for _, at := range []int{0, 5, 10, len(lines) - 1} {
		line := string(lines[at])
		body := strings.TrimSuffix(line, "\n")
		for name, other := range map[string]string{
			"a space":                 strings.Replace(line, `,"kind"`, `, "kind"`, 1),
			"a space at the end":      body + " \n",
			"a carriage return":       body + "\r\n",
			"a mark of byte order":    "\ufeff" + line,
			"a blank line before":     "\n" + line,
			"a blank line after":      line + "\n",
			"a line of spaces":        "  \n" + line,
			"no line break":           body,
			"half":                    body[:len(body)/2],
			"half, and a line break":  body[:len(body)/2] + "\n",
			"a letter escaped":        strings.Replace(line, `"kind":"`, `"kind":"\u0061`, 1),
			"a name escaped":          strings.Replace(line, `"kind"`, `"\u006bind"`, 1),
			"a number with a point":   strings.Replace(line, fmt.Sprintf(`"seq":%d`, at+1), fmt.Sprintf(`"seq":%d.0`, at+1), 1),
			"a number with exponent":  strings.Replace(line, fmt.Sprintf(`"seq":%d`, at+1), fmt.Sprintf(`"seq":%de0`, at+1), 1),
			"a number as text":        strings.Replace(line, fmt.Sprintf(`"seq":%d`, at+1), fmt.Sprintf(`"seq":"%d"`, at+1), 1),
			"a doubled name":          strings.Replace(line, `"kind":`, `"kind":"login","kind":`, 1),
			"a doubled name, later":   strings.Replace(body, `}`, `}`, 1)[:len(body)-1] + `,"subject":"eve"}` + "\n",
			"a doubled name in data":  strings.Replace(line, `"data":{`, `"data":{"x":1,"x":1,`, 1),
			"a name in capitals":      strings.Replace(line, `"subject"`, `"Subject"`, 1),
			"a name that folds":       strings.Replace(line, `"subject"`, `"ſubject"`, 1),
			"a name nobody knows":     strings.Replace(line, `{"seq"`, `{"x":1,"seq"`, 1),
			"another order":           "{" + body[strings.Index(body, `"at"`):len(body)-1] + fmt.Sprintf(`,"seq":%d}`, at+1) + "\n",
			"a null":                  strings.Replace(line, `"prev":"`, `"via":null,"prev":"`, 1),
			"an empty door":           strings.Replace(line, `,"data"`, `,"via":"","data"`, 1),
			"another zone":            strings.Replace(line, `Z","kind"`, `+00:00","kind"`, 1),
			"a time without zeroes":   strings.Replace(line, `.123456Z`, `.1234560Z`, 1),
			"a comment":               "// so\n" + line,
			"a comment inside":        strings.Replace(line, `,"kind"`, `/**/,"kind"`, 1),
			"a list around it":        "[" + body + "]\n",
			"twice on one line":       body + body + "\n",
			"twice on one line, list": body + "," + body + "\n",
			"a byte that is no UTF-8": strings.Replace(line, `"subject":"`, "\"subject\":\"\xff", 1),
			"half a surrogate":        strings.Replace(line, `"subject":"`, `"subject":"\ud800`, 1),
			"a zero byte":             strings.Replace(line, `"subject":"`, "\"subject\":\"\x00", 1),
			"too deep":                strings.Replace(line, `"data":{`, `"data":{"x":`+strings.Repeat("[", 200)+strings.Repeat("]", 200)+`,`, 1),
			"a word":                  "null\n",
			"an empty object":         "{}\n",
			"nothing but a number":    "7\n",
			"a hash in capitals":      body[:len(body)-66] + strings.ToUpper(body[len(body)-66:]) + "\n",
		} {
			if other == line {
				continue
			}
			file := bytes.Join([][]byte{bytes.Join(lines[:at], nil), []byte(other), bytes.Join(lines[at+1:], nil)}, nil)
			m.add(true, int64(at+1), file, "%s in line %d", name, at+1)
		}
	}
	file := string(bytes.Join(lines, nil))
	m.add(true, 1, []byte(base64.StdEncoding.EncodeToString([]byte(file))), "all in base64")
	m.add(true, 1, []byte("["+strings.ReplaceAll(strings.TrimSuffix(file, "\n"), "\n", ",\n")+"]\n"), "all as a list")
	m.add(true, 1, []byte(strings.ReplaceAll(file, "\n", "\r\n")), "all with carriage returns")
	m.add(true, 1, []byte(strings.ReplaceAll(file, "\n", "\x00\n")), "all with zero bytes")
}
