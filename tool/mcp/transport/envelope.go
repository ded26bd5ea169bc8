package transport

import (
	"cmp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// envelope is what is looked at of a message.
type envelope struct {
	ID      jsontext.Value
	Method  string
	Name    string         // of what a request is about, or its URI
	Version string         // of the protocol, that a request names itself
	Chosen  string         // of the protocol, in a result
	Cancels jsontext.Value // the id of a request
}

// envelopeOf reads each part by itself: one that can't be read costs no other.
func envelopeOf(message []byte) envelope {
	whole := parts(message)
	params := parts(whole["params"])
	return envelope{
		ID: whole["id"], Method: part[string](whole["method"]),
		Name:    cmp.Or(part[string](params["name"]), part[string](params["uri"])),
		Version: part[string](parts(params["_meta"])["io.modelcontextprotocol/protocolVersion"]),
		Chosen:  part[string](parts(whole["result"])["protocolVersion"]),
		Cancels: params["requestId"],
	}
}

func parts(raw []byte) map[string]jsontext.Value { return part[map[string]jsontext.Value](raw) }

func part[T any](raw []byte) (v T) {
	_ = json.Unmarshal(raw, &v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) // as far as it goes
	return v
}
