package config

import (
	"slices"
	"strings"

	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// reserved begins the names of what is between a client and the gateway: no
// model can call it, and no tool may be named so.
const reserved = "client."

// clientTools lists an agent's, in the file's order.
func (r resolver) clientTools(files map[string]clientToolFile, a Agent, at []string) []ClientTool {
	var made []ClientTool
	for _, name := range r.doc.keys[id(at)] {
		f, sound := files[name]
		if !sound {
			continue
		}
		place := func(names ...string) []string { return append(append(slices.Clone(at), name), names...) }
		switch {
		case strings.HasPrefix(name, reserved):
			r.fault(place(), "names that begin with %s are the gateway's own: choose another one", reserved)
			continue
		case slices.ContainsFunc(a.Tools, func(t Tool) bool { return t.Name == name }):
			r.fault(place(), "the agent has another tool of that name, under tools")
			continue
		}
		t := known(name)
		if f.Description != "" {
			t.Spec.Description = f.Description
		}
		if len(f.Schema) > 0 {
			t.Spec.Schema = f.Schema
		}
		if len(f.Output) > 0 {
			t.Output = f.Output
		}
		if known := r.arguments(f.Arguments, place("arguments")); !known.IsZero() {
			t.Spec = t.Spec.With(known)
		}
		t.Timeout = r.duration(f.Timeout, door.DefaultClientTimeout, place("timeout"))
		if !r.isSchema(t.Output, place("output")) || !r.isSchema(t.Spec.Schema, place("schema")) {
			continue
		}
		t.Spec.Location = tool.Client
		terms := r.terms(f.Approval, in(place("approval")))
		r.aboutArguments(terms, t.Spec, place("approval", "message"))
		made = append(made, ClientTool{ClientTool: t, Terms: terms})
	}
	return made
}

// arguments checks the paths of declared arguments.
func (r resolver) arguments(f argumentsFile, at []string) tool.Arguments {
	known := tool.Arguments(f)
	for place, err := range policy.CheckArguments(known) {
		r.fault(append(slices.Clone(at), place...), "%s", err)
	}
	return known
}

// isSchema returns an error if a JSON Schema is not valid.
func (r resolver) isSchema(schema tool.JSON, at []string) bool {
	_, err := strictjson.CompileSchema(schema)
	if err != nil {
		r.fault(at, "that is no JSON Schema: %v", err)
	}
	return err == nil
}

// known describes the tools that the dashboard has; others are described by the
// file alone.
func known(name string) door.ClientTool {
	t := door.ClientTool{Spec: tool.Spec{Name: name}}
	text := func(field, what string) tool.JSON {
		return tool.JSON(`{"type":"object","properties":{"` + field + `":{"type":"string","minLength":1,"description":"` + what +
			`"}},"required":["` + field + `"],"additionalProperties":false}`)
	}
	switch name {
	case "ui.showNotification":
		t.Spec.Description = "Shows the person a short notice in the browser."
		t.Spec.Schema = text("text", "what it says")
	case "ui.openLink":
		t.Spec.Description = "Opens an address in a new tab, after the person has agreed."
		t.Spec.Schema = text("url", "an http or https address")
	case "ui.copyText":
		t.Spec.Description = "Puts a text on the person's clipboard."
		t.Spec.Schema = text("text", "what to copy")
	}
	return t
}

// outside finds fault with what a program's agent can't have: the gateway runs nothing of
// it.
func (r resolver) outside(name string, f agentFile) {
	at := func(names ...string) []string { return append([]string{"agents", name}, names...) }
	for _, key := range r.doc.keys[id(at())] {
		if !slices.Contains([]string{"kind", "description", "workdir", "toolConfirmation", "observeUntil", "clientTools", "mcp"}, key) {
			r.fault(at(key), "an external agent has none: leave it out. Tools that the program runs stand under clientTools")
		}
	}
	for server := range f.MCP {
		for _, key := range []string{"approval", "tools"} {
			if place := at("mcp", server, key); r.doc.at(place) != nil {
				r.fault(place, "belongs to agents that the gateway runs: write a rule about %s__TOOL instead", server)
			}
		}
	}
	for tool := range f.ClientTools {
		for _, key := range []string{"output", "timeout"} {
			if place := at("clientTools", tool, key); r.doc.at(place) != nil {
				r.fault(place, "belongs to tools that the gateway has a client run: leave it out")
			}
		}
	}
}
