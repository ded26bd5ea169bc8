package mcp_test

import (
	"strings"
	"testing"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp"
)

func TestAToolIsLookedAtAsItIsNow(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"new", "old"} {
		s := newServer(t, program(t, kind), mcp.Options{})
		now := func(name string) func() (tool.Tool, error) {
			changing, ok := find(t, s, "one", name).(tool.Changing)
			if !ok {
				t.Fatal("it can't be looked at")
			}
			return func() (tool.Tool, error) { return changing.Now(t.Context(), "one") }
		}
		echo, pid := now("echo"), now("pid")
		before, err := echo()
		if err != nil || before.Spec().Description != "the echo tool" {
			t.Fatalf("%+v, %v", before, err)
		}
		run(t, s, "turn", "{}")
		// The notice comes some time after the call's answer.
		for {
			after, err := echo()
			if err != nil {
				t.Fatal(err)
			}
			if after.Spec().Description == "deletes" {
				break
			}
			run(t, s, "count", "{}")
		}
		if _, err := pid(); err == nil || !strings.Contains(err.Error(), "does not have the tool any more") {
			t.Errorf("of a tool that is gone it says %v", err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := echo(); err == nil {
			t.Error("of a server that is closed nobody knows what it is now")
		}
	}
}
