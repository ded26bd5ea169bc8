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
	} {
		s, err := remote.New("test", "https://test/", nil, o)
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
	server, err := remote.New("test", "https://test/", nil, remote.Options{
		Model: "m", Retries: -1, HTTPClient: &http.Client{Transport: s}, Parameters: tool.JSON(`{"e":1,"d":2,"c":3,"b":4,"gone":null}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		_, _ = server.Generate(t.Context(), "x", map[string]int{"a": 0, "e": 0, "gone": 1}, &errorAnswer{}) // there is no answer
		if s.body != `{"a":0,"b":4,"c":3,"d":2,"e":1}` {
			t.Fatal(s.body)
		}
	}
}
