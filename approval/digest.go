package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// Digest identifies what a person is shown and what will run: SHA-256 over the
// RFC 8785 form of agent, tool, arguments, working directory and the hash of
// the file shown, for elicitations over message and schema. It begins with
// "sha256:". Arguments that have no exact canonical form are an error.
func Digest(r Request) (string, error) {
	args, err := r.CanonicalArgs()
	if err != nil {
		return "", fmt.Errorf("approval: digest: %w", err)
	}
	return DigestWith(r, args)
}

// CanonicalArgs are the arguments in the form of RFC 8785; none are the empty object.
func (r Request) CanonicalArgs() (strictjson.Canonical, error) {
	return strictjson.Canonicalize(strictjson.OrEmptyObject(r.Args))
}

// DigestWith is the Digest of the request with these arguments.
func DigestWith(r Request, args strictjson.Canonical) (string, error) {
	var subject any
	switch r.Type {
	case ToolConfirmation, Custom:
		// The fields are in the order of RFC 8785, so that what is written is canonical.
		subject = struct {
			Agent            string               `json:"agent"`
			Args             strictjson.Canonical `json:"args"`
			FileHash         string               `json:"fileHash,omitempty"`
			Tool             string               `json:"tool"`
			WorkingDirectory string               `json:"workingDirectory,omitempty"`
		}{r.AgentID, args, r.Preview.FileHash, r.ToolName, r.WorkingDirectory}
	case Elicitation:
		schema, err := strictjson.Canonicalize(strictjson.OrEmptyObject(r.Schema))
		if err != nil {
			return "", fmt.Errorf("approval: digest: %w", err)
		}
		subject = struct {
			Message string               `json:"message"`
			Schema  strictjson.Canonical `json:"schema"`
		}{r.Message, schema}
	default:
		return "", fmt.Errorf("approval: unknown type %q", r.Type)
	}
	data, err := json.Marshal(subject)
	if err != nil {
		return "", fmt.Errorf("approval: digest: %w", err)
	}
	return sha256Of(data), nil
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
	canonical, err := strictjson.Canonicalize(data)
	if err != nil {
		return "", err
	}
	return sha256Of([]byte(canonical.String())), nil
}

// OfferDigest is the digest of all that a grant would be bound to that is given for a request
// before it is made: the call, the tool, the folder, how long and what it can cover.
func OfferDigest(r Request) string {
	var b []byte
	for _, part := range []any{r.ArgsDigest, r.ToolDigest, r.WorkingDirectory, r.StandingSeconds, r.Covers} {
		b = fmt.Appendf(b, "%#v\n", part)
	}
	return sha256Of(b)
}

func sha256Of(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
