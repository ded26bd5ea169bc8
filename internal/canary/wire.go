package canary

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
)

// wire is one form of answers.
type wire struct {
	prefix string // of a call's id
	whole  func(reply) object
	events func(reply) []event
}

// event is one of a streamed answer. Its name may be empty.
type event struct {
	name string
	data object // nil: the end
}

type object = map[string]any

// wires has them by how a path ends.
var wires = map[string]wire{
	"/chat/completions":      {"call_", wholeChat, chatEvents},
	"/responses":             {"call_", wholeResponse, responseEvents},
	"/messages":              {"toolu_", wholeMessage, messageEvents},
	":generateContent":       {"call_", wholeGemini, geminiEvents},
	":streamGenerateContent": {"call_", wholeGemini, geminiEvents},
}

var fixed = map[string]object{
	"/messages/count_tokens": {"input_tokens": 1},
	":countTokens":           {"totalTokens": 1},
	"/models": {
		"object": "list", "has_more": false,
		"data": []object{{"id": "canary", "object": "model", "type": "model", "display_name": "canary", "created": 0}},
	},
}

// maxBody is how long a request may be: a conversation and the schemas of all tools.
const maxBody = 32 << 20

func (m *Model) serve(w http.ResponseWriter, r *http.Request) {
	for suffix, body := range fixed {
		if strings.HasSuffix(r.URL.Path, suffix) {
			write(w, body)
			return
		}
	}
	for suffix, wire := range wires {
		if strings.HasSuffix(r.URL.Path, suffix) && r.Method == http.MethodPost {
			m.converse(w, r, wire)
			return
		}
	}
	http.Error(w, "the canary's model has no "+r.Method+" "+r.URL.Path, http.StatusNotFound)
}

func (m *Model) converse(w http.ResponseWriter, r *http.Request, wire wire) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	asked, err := readRequest(data)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	asked.text = string(data)
	say := m.answer(asked, wire.prefix)
	if !asked.stream && !strings.Contains(r.URL.Path, ":stream") {
		write(w, wire.whole(say))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range wire.events(say) {
		if e.name != "" {
			fmt.Fprintf(w, "event: %s\n", e.name)
		}
		if e.data == nil {
			fmt.Fprint(w, "data: [DONE]\n\n")
			continue
		}
		fmt.Fprintf(w, "data: %s\n\n", encode(e.data))
	}
}

func write(w http.ResponseWriter, body object) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encode(body)) // who has gone reads nothing
}

// encode writes what this package has made; a caller's arguments are JSON, or none.
func encode(v object) []byte {
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return []byte("{}")
	}
	return data
}
