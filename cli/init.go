package cli

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/terminal"
)

//go:embed init.yaml
var firstFile string

// firstModels are the models that a first file may have, each as its lines under models.
var firstModels = []struct{ name, yaml, next string }{
	{"demo", "  demo: {provider: scripted} # needs no key; say \"help\" to it\n", ""},
	{"openai", "  openai: {provider: openai, name: \"${OPENAI_MODEL:-gpt-5}\", key: \"${OPENAI_API_KEY:-}\"}\n", "Put your key into OPENAI_API_KEY. "},
	{"anthropic", "  anthropic: {provider: anthropic, name: \"${ANTHROPIC_MODEL:-claude-sonnet-4-5}\", key: \"${ANTHROPIC_API_KEY:-}\"}\n", "Put your key into ANTHROPIC_API_KEY. "},
	{"google", "  google: {provider: google, name: \"${GEMINI_MODEL:-gemini-3-flash}\", key: \"${GEMINI_API_KEY:-}\"}\n", "Put your key into GEMINI_API_KEY. "},
	{"ollama", "  ollama: {provider: openai, name: \"${OLLAMA_MODEL:-qwen3}\", baseURL: \"${OLLAMA_URL:-http://127.0.0.1:11434/v1}\"} # or llama.cpp, vLLM\n", "Pull the model: ollama pull qwen3. "},
}

// first is what a first file is made of.
type first struct {
	Model, Workdir, Listen string
	AllowReads             bool
}

func initCommand() *cobra.Command {
	var f first
	var o printer
	var path string
	c := &cobra.Command{
		Use: "init", Args: cobra.NoArgs,
		Short:   "Write a first configuration file, with comments.",
		Long:    "Write a first configuration file, with comments. In a terminal it asks for what no flag says; elsewhere that has its default. A file that is there is left as it is.",
		Example: "  gateway init\n  gateway init --model anthropic --workdir ~/project --allow-reads",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.ask(c, o.notes(c)); err != nil {
				return err
			}
			if err := f.write(path); err != nil {
				return err
			}
			return o.print(c, map[string]string{"file": path, "model": f.Model, "listen": f.Listen}, func(w io.Writer) error { return f.next(w, path) })
		},
	}
	configFlag(c, &path)
	o.flag(c, "")
	c.Flags().StringVar(&f.Model, "model", "demo", "the agent's model: "+strings.Join(modelNames(), ", "))
	c.Flags().StringVar(&f.Workdir, "workdir", ".", "the folder in which the agent's tools work")
	c.Flags().BoolVar(&f.AllowReads, "allow-reads", false, "let commands that only read in that folder run without asking")
	c.Flags().StringVar(&f.Listen, "listen", "127.0.0.1:8787", "where the dashboard is")
	completeWords(c, "model", modelNames()...)
	return c
}

func modelNames() (names []string) {
	for _, m := range firstModels {
		names = append(names, m.name)
	}
	return names
}

// ask asks for what no flag says, in a terminal.
func (f *first) ask(c *cobra.Command, out io.Writer) error {
	in, ok := c.InOrStdin().(*os.File)
	if !ok || !terminal.Interactive(in) {
		return nil
	}
	lines := bufio.NewReader(in)
	reads := "n"
	for _, q := range []struct {
		flag, words string
		answer      *string
	}{
		{"model", "Which model? " + strings.Join(modelNames(), ", "), &f.Model},
		{"workdir", "In which folder do the agent's tools work?", &f.Workdir},
		{"allow-reads", "May commands that only read there run without asking? y, n", &reads},
	} {
		if c.Flags().Changed(q.flag) {
			continue
		}
		fmt.Fprintf(out, "%s [%s] ", q.words, *q.answer)
		line, err := lines.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		*q.answer = cmp.Or(strings.TrimSpace(line), *q.answer)
	}
	if !c.Flags().Changed("allow-reads") {
		f.AllowReads = strings.HasPrefix(strings.ToLower(reads), "y")
	}
	return nil
}

// text is the file, checked as gateway validate does.
func (f first) text(path string) ([]byte, error) {
	i := slices.Index(modelNames(), f.Model)
	if i < 0 {
		return nil, usage("--model %q: want one of %s", f.Model, strings.Join(modelNames(), ", "))
	}
	shown := f
	if filepath.IsLocal(f.Workdir) && filepath.Dir(path) != "." { // of here, not of the file's folder
		absolute, err := filepath.Abs(f.Workdir)
		if err != nil {
			return nil, err
		}
		shown.Workdir = absolute
	}
	shown.Workdir, shown.Listen = strconv.Quote(shown.Workdir), strconv.Quote(f.Listen)
	var out bytes.Buffer
	err := template.Must(template.New("").Parse(firstFile)).Execute(&out, struct {
		first
		ModelYAML string
	}{shown, firstModels[i].yaml})
	if err != nil {
		return nil, err
	}
	_, err = config.Parse(path, out.Bytes(), os.LookupEnv)
	return out.Bytes(), err
}

// write writes the file.
func (f first) write(path string) error {
	text, err := f.text(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already, and is left as it is; name another with --config", path)
	}
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

// next says what comes next.
func (f first) next(out io.Writer, path string) error {
	serve := "gateway serve"
	if path != defaultConfig {
		serve += " --config " + path
	}
	_, err := fmt.Fprintf(out, "%s is written. %sStart the gateway with:\n\n  %s\n", path, firstModels[slices.Index(modelNames(), f.Model)].next, serve)
	return err
}
