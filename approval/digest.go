package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// Digest identifies what a person is shown and what will run: SHA-256 over the
// RFC 8785 form of agent, tool, arguments, working directory and the hash of
// the file shown, for elicitations over message and schema. It begins with
// "sha256:". Arguments that have no exact canonical form are an error.
func Digest(r Request) (string, error) {
	return DigestWith(r, r.Args)
}

// DigestWith is the Digest of the request with other arguments.
func DigestWith(r Request, args jsontext.Value) (string, error) {
	args = strictjson.OrEmptyObject(args)
	var subject any
	switch r.Type {
	case ToolConfirmation, Custom:
		subject = struct {
			Agent            string         `json:"agent"`
			Tool             string         `json:"tool"`
			Args             jsontext.Value `json:"args"`
			WorkingDirectory string         `json:"workingDirectory,omitempty"`
			FileHash         string         `json:"fileHash,omitempty"`
		}{r.AgentID, r.ToolName, args, r.WorkingDirectory, r.Preview.FileHash}
	case Elicitation:
		subject = struct {
			Message string         `json:"message"`
			Schema  jsontext.Value `json:"schema"`
		}{r.Message, strictjson.OrEmptyObject(r.Schema)}
	default:
		return "", fmt.Errorf("approval: unknown type %q", r.Type)
	}
	data, err := json.Marshal(subject)
	if err != nil {
		return "", fmt.Errorf("approval: digest: %w", err)
	}
	canonical, err := strictjson.Canonical(data)
	if err != nil {
		return "", fmt.Errorf("approval: digest: %w", err)
	}
	return sha256Of(canonical), nil
}

// ToolDigest identifies what a tool is to who approves it, all of its spec:
// SHA-256 over the RFC 8785 form, beginning with "sha256:". A schema that has no
// exact canonical form is an error.
func ToolDigest(spec tool.Spec) (string, error) {
	data, err := json.Marshal(struct {
		tool.Spec `json:",inline"`
		Trusted   bool `json:"trusted,omitzero"`
	}{spec, spec.Hints.Trusted})
	if err != nil {
		return "", err
	}
	canonical, err := strictjson.Canonical(data)
	if err != nil {
		return "", err
	}
	return sha256Of(canonical), nil
}

func sha256Of(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
