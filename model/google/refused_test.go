package google_test

import (
	"strings"
	"testing"
)

func TestWhatServersRefuseIsSeen(t *testing.T) {
	const body = `{"tools":[{"functionDeclarations":[{"name":"shell","parametersJsonSchema":{"type":"object","properties":{}}},{"name":"other","parametersJsonSchema":{"type":"object","properties":{}}}]}],
"systemInstruction":{"parts":[{"text":"s"}]},"contents":[{"role":"user","parts":[{"text":"u"}]},
{"role":"model","parts":[{"text":"said"},{"functionCall":{"id":"a","name":"shell","args":{}}},{"functionCall":{"id":"b","name":"shell","args":{}}}]},
{"role":"user","parts":[{"functionResponse":{"id":"a","name":"shell","response":{"output":"ra"}}},
{"functionResponse":{"id":"b","name":"shell","response":{"error":"rb"}}},{"inlineData":{"mimeType":"image/png","data":"AA=="}},{"text":"more"}]},
{"role":"model","parts":[{"text":"end"}]},{"role":"user","parts":[{"text":"last"}]}]}`
	if err := wellFormed([]byte(body)); err != nil {
		t.Fatal(err)
	}
	const second = `{"functionResponse":{"id":"b","name":"shell","response":{"error":"rb"}}}`
	for what, change := range map[string][2]string{
		"what is no JSON":                   {`{`, ``},
		"a tool's name":                     {`"name":"other"`, `"name":"3d"`},
		"a tool's name twice":               {`"name":"other"`, `"name":"shell"`},
		"a schema of something else":        {`"parametersJsonSchema":{"type":"object","properties":{}}`, `"parametersJsonSchema":{}`},
		"tools without a function":          {`"tools":[{`, `"tools":[{"functionDeclarations":[]},{`},
		"a blank system instruction":        {`"text":"s"`, `"text":"\u001f"`},
		"no system instruction":             {`{"text":"s"}`, ``},
		"an empty text":                     {`"text":"u"`, `"text":""`},
		"a message without parts":           {`[{"text":"end"}]`, `[]`},
		"a part without anything":           {`{"text":"end"}`, `{}`},
		"a part of two things":              {`{"text":"said"},{`, `{"text":"said",`},
		"a role out of turn":                {`{"role":"model","parts":[{"text":"end"}]},`, ``},
		"an unknown role":                   {`"role":"model"`, `"role":"assistant"`},
		"a call without an id":              {`"functionCall":{"id":"a"`, `"functionCall":{"id":""`},
		"an id twice":                       {`"functionCall":{"id":"b"`, `"functionCall":{"id":"a"`},
		"a call's name":                     {`"name":"shell","args"`, `"name":"öl","args"`},
		"arguments that are no object":      {`"args":{}`, `"args":"{}"`},
		"no arguments":                      {`,"args":{}`, ``},
		"a missing result":                  {second + `,`, ``},
		"a result without an id":            {`"functionResponse":{"id":"a",`, `"functionResponse":{`},
		"a result of another name":          {`"name":"shell","response"`, `"name":"other","response"`},
		"a result of nothing":               {`"functionResponse":{"id":"b"`, `"functionResponse":{"id":"c"`},
		"results out of order":              {`"functionResponse":{"id":"a"`, `"functionResponse":{"id":"b"`},
		"a result that says nothing":        {`{"output":"ra"}`, `{}`},
		"a result that says two things":     {`{"output":"ra"}`, `{"output":"ra","error":"ra"}`},
		"a text before a result":            {second, `{"text":"x"},` + second},
		"an image of another type":          {`image/png`, `image/gif`},
		"an image without data":             {`"AA=="`, `""`},
		"a call of the user":                {`{"text":"u"}`, `{"functionCall":{"id":"z","name":"shell","args":{}}}`},
		"the last word to the model":        {`,{"role":"user","parts":[{"text":"last"}]}`, ``},
		"a call that nobody answers":        {`{"text":"end"}`, `{"functionCall":{"id":"z","name":"shell","args":{}}}`},
		"results where there were no calls": {`[{"text":"last"}]`, `[{"functionResponse":{"id":"b","name":"shell","response":{"output":"x"}}}]`},
	} {
		changed := strings.Replace(body, change[0], change[1], 1)
		if changed == body || wellFormed([]byte(changed)) == nil {
			t.Errorf("%s is not seen: %s", what, changed)
		}
	}
}
