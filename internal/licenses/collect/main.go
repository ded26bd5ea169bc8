// Command collect writes the licences of the Go modules and npm packages that the
// gateway is built with into the file that package licenses embeds. It runs in the
// module's root, after npm ci, and fails if a package has no licence.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// part is a module or package with a licence.
type part struct{ name, dir string }

func main() {
	if err := collect(); err != nil {
		fmt.Fprintln(os.Stderr, "collect: "+err.Error())
		os.Exit(1)
	}
}

func collect() error {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	parts := []part{{"Lineclear", "."}, {"Go " + runtime.Version(), strings.TrimSpace(string(goroot))}}
	for _, list := range []func() ([]part, error){modules, packages} {
		found, err := list()
		if err != nil {
			return err
		}
		parts = append(parts, found...)
	}
	text, err := notices(parts)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(text); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile("internal/licenses/texts/notices.txt.gz", packed.Bytes(), 0o644)
}

// notices groups parts by the text of their licence.
func notices(parts []part) ([]byte, error) {
	var order []string
	names := map[string][]string{}
	for _, p := range parts {
		text, err := licenceOf(p)
		if err != nil {
			return nil, err
		}
		if names[text] == nil {
			order = append(order, text)
		}
		if !slices.Contains(names[text], p.name) {
			names[text] = append(names[text], p.name)
		}
	}
	var out bytes.Buffer
	for _, text := range order {
		fmt.Fprintf(&out, "%s\n%s\n\n%s\n\n", strings.Join(names[text], "\n"), strings.Repeat("=", 80), text)
	}
	return out.Bytes(), nil
}

// licenceOf returns the licence files in a part's folder.
func licenceOf(p part) (string, error) {
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return "", fmt.Errorf("%s: %w", p.name, err)
	}
	var texts []string
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		is := slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"}, func(w string) bool { return strings.HasPrefix(name, w) })
		if e.IsDir() || !is {
			continue
		}
		text, err := os.ReadFile(filepath.Join(p.dir, e.Name()))
		if err != nil {
			return "", fmt.Errorf("%s: %w", p.name, err)
		}
		texts = append(texts, strings.TrimSpace(string(text)))
	}
	if len(texts) == 0 {
		return fromPackageJSON(p)
	}
	return strings.Join(texts, "\n\n"), nil
}

// fromPackageJSON returns the licence of an npm package that has no licence file.
func fromPackageJSON(p part) (string, error) {
	raw, err := os.ReadFile(filepath.Join(p.dir, "package.json"))
	if err != nil {
		return "", fmt.Errorf("%s has no licence in %s", p.name, p.dir)
	}
	var about struct {
		License string         `json:"license"`
		Author  jsontext.Value `json:"author"`
	}
	if err := json.Unmarshal(raw, &about); err != nil {
		return "", fmt.Errorf("%s: package.json: %w", p.name, err)
	}
	if about.License == "" {
		return "", fmt.Errorf("%s names no licence", p.name)
	}
	return fmt.Sprintf("%s, as its package.json says (author: %s)", about.License, about.Author), nil
}

// modules returns the Go modules that the gateway is built with.
func modules() ([]part, error) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/gateway").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	var parts []part
	for _, line := range slices.Compact(lines) {
		if name, dir, ok := strings.Cut(line, "\t"); ok {
			parts = append(parts, part{name, dir})
		}
	}
	return parts, nil
}

// packages returns the dashboard's npm packages.
func packages() ([]part, error) {
	c := exec.Command("npm", "ls", "--omit=dev", "--all", "--parseable", "--long")
	c.Dir = "web"
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("npm ls: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) == 0 {
		return nil, nil
	}
	var parts []part
	for _, line := range lines[1:] { // the first is the dashboard itself
		if fields := strings.Split(line, ":"); len(fields) >= 2 {
			parts = append(parts, part{fields[1], fields[0]})
		}
	}
	return parts, nil
}
