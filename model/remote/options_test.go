package remote_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/model/remote"
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
		"parameters":                 {Model: "m", Parameters: jsontext.Value(`[]`)},
		"given twice":                {Model: "m", Parameters: jsontext.Value(`{"top_p":1,"top_p":0}`)},
		"parameters: model: can't":   {Model: "m", Parameters: jsontext.Value(`{"model":"x"}`)},
		"parameters: messages:":      {Model: "m", Parameters: jsontext.Value(`{"messages":[]}`)},
		"parameters: tools:":         {Model: "m", Parameters: jsontext.Value(`{"tools":null}`)},
		"parameters: stream: can't":  {Model: "m", Parameters: jsontext.Value(`{"stream":false}`)},
		"parameters: system: can't ": {Model: "m", Parameters: jsontext.Value(`{"system":"x"}`)},
	} {
		s, err := remote.New("test", "https://test/", nil, o)
		if err == nil || s != nil || !strings.Contains(err.Error(), field) || !strings.HasPrefix(err.Error(), "test: ") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", field, err)
		}
	}
}
