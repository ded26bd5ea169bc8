package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/config"
)

// verb runs a verb without a terminal.
func verb(args ...string) (string, error) {
	var out bytes.Buffer
	c := Root()
	c.SetArgs(args)
	c.SetIn(strings.NewReader(""))
	c.SetOut(&out)
	c.SetErr(&out)
	err := execute(c.Context(), c)
	return out.String(), err
}

func TestAFirstFileIsValidAndLeavesOneThatIsThere(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, model := range modelNames() {
		for _, more := range []string{"--allow-reads=false", "--allow-reads"} {
			file := filepath.Join(model, more, "agents.yaml")
			out, err := verb("init", "--model", model, more, "--config", file)
			if err != nil || !strings.Contains(out, "gateway serve --config "+file) {
				t.Fatalf("%s %s: %s, %v", model, more, out, err)
			}
			c, err := config.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			here, _ := os.Getwd()
			if a := c.Agents[0]; a.Model.Name != model || a.WorkingDirectory != here || len(a.Rules.Rules) > 2 != (more == "--allow-reads") {
				t.Errorf("%s %s: the agent is %+v", model, more, a)
			}
			before, _ := os.ReadFile(file)
			_, err = verb("init", "--listen", "127.0.0.1:1", "--config", file)
			if after, _ := os.ReadFile(file); err == nil || !bytes.Equal(before, after) {
				t.Errorf("a second time: %v, %s", err, after)
			}
		}
	}
}

func TestAFirstFileThatCantBeMeantIsNotWritten(t *testing.T) {
	t.Chdir(t.TempDir())
	for want, args := range map[string][]string{
		"want one of demo, openai": {"--model", "x"},
		"does not exist":           {"--workdir", "/none/such"},
		"gateway.listen":           {"--listen", "8787"},
	} {
		_, err := verb(append([]string{"init"}, args...)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", args, err)
		}
		if _, err := os.Stat("agents.yaml"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: there is a file: %v", args, err)
		}
	}
}

func TestWhereThereIsNoFileInitIsOffered(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"serve"}, {"validate"}, {"approvals"}, {"policy", "explain", "--agent", "demo", "--command", "ls"}, {"doctor"}} {
		if _, err := verb(args...); err == nil || !strings.Contains(err.Error(), "gateway init") {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestTheVersionIsPrintedByAFlagAndByAVerb(t *testing.T) {
	flag, err := verb("--version")
	if err != nil || !strings.HasPrefix(flag, "lineclear ") {
		t.Errorf("%s, %v", flag, err)
	}
	if said, err := verb("version"); err != nil || said != flag {
		t.Errorf("the verb says %s, the flag %s, %v", said, flag, err)
	}
}

func TestWrongUsageIsSaidInOurWordsWithHowItIsRight(t *testing.T) {
	for want, args := range map[string][]string{
		"want AGENT MESSAGE; got 0\nUsage: gateway run AGENT MESSAGE":        {"run"},
		"want no arguments; got 1\nUsage: gateway version":                   {"version", "x"},
		"missing: --agent\nUsage: gateway policy explain":                    {"policy", "explain"},
		"unknown flag: --foo\nUsage: gateway approvals":                      {"approvals", "--foo"},
		"unknown command \"dance\" for \"gateway\"\nUsage: gateway":          {"dance"},
		"want AGENT manual|auto-approve|auto-deny; got 1\nUsage: gateway mo": {"modes", "set", "demo"},
	} {
		_, err := verb(args...)
		if err == nil || exitCode(err) != exitUsage || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "\nSee: gateway") {
			t.Errorf("%v: %v", args, err)
		}
	}
}
