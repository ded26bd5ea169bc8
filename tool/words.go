package tool

import (
	"strings"
)

// Words is what an error says to a model or a person: without the names of packages
// at its front, which mean nothing to them.
func Words(err error) string {
	text := err.Error()
	for {
		name, rest, found := strings.Cut(text, ": ")
		if !found || !packages[name] {
			return strings.ToValidUTF8(text, "\uFFFD")
		}
		text = rest
	}
}

// packages are those whose errors begin with their name.
var packages = map[string]bool{
	"agent": true, "anthropic": true, "approval": true, "audit": true, "auth": true, "bus": true, "client": true, "cluster": true,
	"config": true, "door": true, "files": true, "gate": true, "google": true, "hook": true, "host": true, "jsonrpc": true, "licenses": true, "mask": true, "mcp": true, "mcpgate": true, "otlp": true,
	"model": true, "notify": true, "openai": true, "policy": true, "process": true, "sandbox": true, "scripted": true, "session": true,
	"shell": true, "store": true, "terminal": true, "tool": true, "transcript": true, "webpush": true, "wsapprover": true,
}
