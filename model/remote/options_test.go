package remote_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/tool"
)

func TestOptionsThatCannotWorkAreErrorsThatNameTheField(t *testing.T) {
	for field, o := range map[string]remote.Options{
		"model":                      {},
		"base URL":                   {Model: "m", BaseURL: "localhost:8000/v1"},
		"base URL: want http":        {Model: "m", BaseURL: "ftp://x/v1"},
		"base URL: want no login":    {Model: "m", BaseURL: "https://me:secret@x/v1"},
		"no ? and":                   {Model: "m", BaseURL: "https://x/v1?key=secret"},
		"key":                        {Model: "m", Key: "secret\n"},
		"headers":                    {Model: "m", Headers: map[string]string{"X Y": "z"}},
		`headers: "X-A"`:             {Model: "m", Headers: map[string]string{"X-A": "secret\r\n"}},
		"max tokens":                 {Model: "m", MaxTokens: -1},
		"timeout":                    {Model: "m", Timeout: -time.Second},
		"parameters":                 {Model: "m", Parameters: tool.JSON(`[]`)},
		"given twice":                {Model: "m", Parameters: tool.JSON(`{"top_p":1,"top_p":0}`)},
		"parameters: model: can't":   {Model: "m", Parameters: tool.JSON(`{"model":"x"}`)},
		"parameters: messages:":      {Model: "m", Parameters: tool.JSON(`{"messages":[]}`)},
		"parameters: tools:":         {Model: "m", Parameters: tool.JSON(`{"tools":null}`)},
		"parameters: stream: can't":  {Model: "m", Parameters: tool.JSON(`{"stream":false}`)},
		"parameters: system: can't ": {Model: "m", Parameters: tool.JSON(`{"system":"x"}`)},
		"parameters: contents:":      {Model: "m", Parameters: tool.JSON(`{"contents":[]}`)},
		"parameters: systemInstr":    {Model: "m", Parameters: tool.JSON(`{"systemInstruction":{}}`)},
		"parameters: system_instr":   {Model: "m", Parameters: tool.JSON(`{"system_instruction":{}}`)},
	} {
		s, err := remote.New(test, o)
		if err == nil || s != nil || !strings.Contains(err.Error(), field) || !strings.HasPrefix(err.Error(), "test: ") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// sent keeps the newest request.
type sent struct{ body string }

func (s *sent) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	s.body = string(raw)
	return nil, err
}

func TestARequestWithParametersIsTheSameEachTime(t *testing.T) {
	s := &sent{}
	server, err := remote.New(test, remote.Options{
		Model: "m", Retries: -1, HTTPClient: &http.Client{Transport: s}, Parameters: tool.JSON(`{"e":1,"d":2,"c":{"x":1},"b":4,"gone":null,"in":{"new":{"y":null},"old":2,"out":null,"deep":{"z":1}}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		_, _ = server.Generate(t.Context(), "x", map[string]any{"a": 0, "c": 0, "e": 0, "gone": 1, "in": map[string]any{"kept": 0, "old": 0, "out": 0, "deep": map[string]int{"kept": 0}}}, &errorAnswer{}) // there is no answer
		if s.body != `{"a":0,"b":4,"c":{"x":1},"d":2,"e":1,"in":{"deep":{"kept":0,"z":1},"kept":0,"new":{"y":null},"old":2}}` {
			t.Fatal(s.body)
		}
	}
}
