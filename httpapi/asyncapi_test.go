package httpapi_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/wsapprover"
)

// frames are what goes over a WebSocket.
func frames() httpapi.Frames {
	server, client, journal := wsapprover.Schema()
	return httpapi.Frames{Server: server, Client: client, Journal: journal, Protocol: wsapprover.Protocol, Failures: wsapprover.Codes()}
}

// asyncAPI is the description of the WebSocket, and what compiles a part of it.
func asyncAPI(t *testing.T) (doc map[string]any, part func(pointer string) *jsonschema.Schema) {
	t.Helper()
	api := &httpapi.Server{Backend: httpapi.Backend{Frames: frames()}}
	raw, err := api.AsyncAPI()
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("http://gate.example/", value); err != nil {
		t.Fatal(err)
	}
	return value.(map[string]any), func(pointer string) *jsonschema.Schema {
		t.Helper()
		schema, err := compiler.Compile("http://gate.example/#" + pointer)
		if err != nil {
			t.Fatal(err)
		}
		return schema
	}
}

func TestEveryFrameFitsTheDescriptionOfTheWebSocket(t *testing.T) {
	t.Parallel()
	doc, part := asyncAPI(t)
	messages := doc["components"].(map[string]any)["messages"].(map[string]any)
	seen := map[string]bool{}
	for folder, from := range map[string]string{"frames": "server", "client": "client"} {
		paths, _ := filepath.Glob("../wsapprover/testdata/" + folder + "/*.json")
		for _, path := range paths {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var f struct {
				Event string `json:"event"`
			}
			if err := json.Unmarshal(raw, &f); err != nil {
				t.Fatal(err)
			}
			name := from + "." + f.Event
			if seen[name] = true; messages[name] == nil {
				t.Errorf("%s is not described", path)
				continue
			}
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
			if err != nil {
				t.Fatal(err)
			}
			payload := part("/components/messages/" + name + "/payload")
			if err := payload.Validate(value); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			value.(map[string]any)["further"] = true
			if grows := payload.Validate(value) == nil; grows != (from == "server") {
				t.Errorf("%s: a further name is taken: %v", path, grows)
			}
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(messages)), slices.Sorted(maps.Keys(seen))); diff != "" {
		t.Errorf("(-described +golden files):\n%s", diff)
	}
}

func TestAnEventOfTheJournalIsDescribedByItsType(t *testing.T) {
	t.Parallel()
	_, part := asyncAPI(t)
	payload := part("/components/messages/server.sessionEvent/payload")
	frame := func(kind, data string) any {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(
			`{"event":"sessionEvent","data":{"session":"s","seq":1,"at":"2026-11-27T12:00:00Z","type":"` + kind + `","data":` + data + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	if err := payload.Validate(frame("message.user", `{"text":"hi","by":"ada"}`)); err != nil {
		t.Error(err)
	}
	if payload.Validate(frame("message.user", `{"text":1}`)) == nil {
		t.Error("a message whose text is a number is taken for one")
	}
}

func TestAnAnswerInOtherWordsIsAFrameAsWell(t *testing.T) {
	t.Parallel()
	_, part := asyncAPI(t)
	payload := part("/components/messages/client.approvalResponse/payload")
	for data, taken := range map[string]bool{
		`{"approvalId":"a","decision":"approve"}`: true, `{"approvalId":"a","status":"approved","scope":"session"}`: true,
		`{"decision":"approve"}`: false, `{"approvalId":"a","status":"pending"}`: false, `{"approvalId":"a","decison":"approve"}`: false,
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"event":"approvalResponse","data":` + data + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if (payload.Validate(value) == nil) != taken {
			t.Errorf("%s: want it taken: %v", data, taken)
		}
	}
}

func TestTheDescriptionOfTheWebSocketHoldsTogether(t *testing.T) {
	t.Parallel()
	doc, part := asyncAPI(t)
	refs := 0
	var walk func(at any)
	walk = func(at any) {
		switch v := at.(type) {
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		case map[string]any:
			if to, ok := v["$ref"].(string); ok {
				refs++
				target := any(doc)
				for _, step := range strings.Split(strings.TrimPrefix(to, "#/"), "/") {
					within, _ := target.(map[string]any)
					if target = within[step]; target == nil {
						t.Fatalf("%s leads nowhere", to)
					}
				}
			}
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(doc)
	if refs < 60 {
		t.Errorf("only %d references were followed", refs)
	}
	for name := range doc["components"].(map[string]any)["schemas"].(map[string]any) {
		part("/components/schemas/" + name)
	}
}
