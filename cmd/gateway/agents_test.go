//go:build agents

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lineclear/lineclear/internal/canary"
)

// reals are the roads with the real agents, in the folder LINECLEAR_AGENTS.
var reals = []road{
	{agent: "claude-code", verb: []string{"host", "claude"}, why: true, edits: true},
	{agent: "codex", verb: []string{"host", "codex"}, why: true},
	{agent: "opencode", verb: []string{"acp"}, start: []string{"opencode", "acp"}},
	{agent: "copilot", verb: []string{"acp"}, start: []string{"copilot", "--acp"}},
	{agent: "gemini", verb: []string{"acp"}, start: []string{"gemini", "--acp"}, words: true},
	{agent: "qwen", verb: []string{"acp"}, start: []string{"qwen", "--acp"}},
}

// real is the real agent, with a model that calls its shell once.
func (r road) real(t *testing.T, line string) prepared {
	t.Helper()
	bin := os.Getenv("LINECLEAR_AGENTS")
	program, _ := canary.Of(r.agent)
	if _, err := os.Stat(filepath.Join(bin, program.Name)); bin == "" || err != nil {
		t.Fatalf("LINECLEAR_AGENTS has to be the folder of the program %s: %v", program.Name, err)
	}
	model, err := canary.Serve(program.Shell(line))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	folder, home := t.TempDir(), t.TempDir()
	args, env, err := program.Lead(canary.Run{Model: model, Folder: folder, Home: home})
	if err != nil {
		t.Fatal(err)
	}
	return prepared{folder: folder, args: args, env: append(env, "PATH="+bin+":"+os.Getenv("PATH")), heard: model.Heard}
}

func TestRealAgentsTakeTheAnswer(t *testing.T) {
	for _, r := range reals {
		t.Run(r.agent, func(t *testing.T) { r.takesTheAnswer(t, r.real) })
	}
}

func TestRealAgentsRunNothingThatNobodyClears(t *testing.T) {
	for _, r := range reals {
		t.Run(r.agent, func(t *testing.T) { r.runsNothing(t, r.real) })
	}
}
