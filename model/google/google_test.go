package google_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/google"
	"github.com/lineclear/lineclear/model/modeltest"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var provider = modeltest.Provider{Name: "google", New: func(o remote.Options) (model.Model, error) { return google.New(o) }}

func TestTheContractOfModels(t *testing.T) { modeltest.Run(t, provider) }

func TestAnyPromptIsARequestThatServersTake(t *testing.T) {
	modeltest.AnyPrompt(t, provider, wellFormed)
}

func FuzzAnAnswerIsAReplyOrAFailure(f *testing.F) { modeltest.FuzzAnswers(f, provider) }

func FuzzNothingInAPromptSpoilsTheRequest(f *testing.F) { modeltest.FuzzPrompts(f, provider) }

// named is what stands in a call, and in its result.
type named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type content struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

type part struct {
	Text *string `json:"text"`
	Call *struct {
		named `json:",inline"`
		Args  tool.JSON `json:"args"`
	} `json:"functionCall"`
	Result *struct {
		named    `json:",inline"`
		Response struct {
			Output string `json:"output"`
			Error  string `json:"error"`
		} `json:"response"`
	} `json:"functionResponse"`
	Image *struct {
		MIME string `json:"mimeType"`
		Data []byte `json:"data"`
	} `json:"inlineData"`
}

// aName is what Google documents, within the length of all providers.
var aName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$`)

// wellFormed returns an error for a request that servers refuse. The shape of a request
// is compared in the recorded exchanges.
func wellFormed(raw []byte) error {
	var b struct {
		System   *content  `json:"systemInstruction"`
		Contents []content `json:"contents"`
		Tools    []struct {
			Functions []struct {
				Name   string    `json:"name"`
				Schema tool.JSON `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return err
	}
	names := map[string]bool{}
	for _, t := range b.Tools {
		if len(t.Functions) == 0 {
			return errors.New("tools without a function")
		}
		for _, f := range t.Functions {
			if !aName.MatchString(f.Name) || names[f.Name] || string(remote.Schema(f.Schema)) != string(f.Schema) {
				return fmt.Errorf("the tool %q: wrong, or given twice", f.Name)
			}
			names[f.Name] = true
		}
	}
	if b.System != nil && (len(b.System.Parts) != 1 || b.System.Parts[0].wellFormed() != nil || b.System.Parts[0].Text == nil) {
		return errors.New("a system instruction that is not valid")
	}
	if len(b.Contents)%2 == 0 {
		return errors.New("the last word is not the user's")
	}
	var open []named // calls that wait for their results
	seen := map[string]bool{}
	for i, c := range b.Contents {
		if c.Role != []string{"user", "model"}[i%2] || len(c.Parts) == 0 {
			return fmt.Errorf("message %d: empty, or not the turn of %s", i, c.Role)
		}
		calls, results, err := c.wellFormed()
		for _, call := range calls {
			if seen[call.ID] {
				err = fmt.Errorf("the id %q is given twice", call.ID)
			}
			seen[call.ID] = true
		}
		if err == nil && !slices.Equal(results, open) {
			err = fmt.Errorf("the results of %q, where those of %q are open", results, open)
		}
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		open = calls
	}
	return nil
}

// wellFormed returns the message's calls and what its results answer.
func (c content) wellFormed() (calls, results []named, err error) {
	for i, p := range c.Parts {
		switch {
		case p.wellFormed() != nil:
			return nil, nil, p.wellFormed()
		case p.Call != nil:
			calls = append(calls, p.Call.named)
		case p.Result != nil && i == len(results):
			results = append(results, p.Result.named)
		case p.Result != nil:
			return nil, nil, errors.New("a result that does not come first")
		}
	}
	if c.Role == "user" && calls != nil || c.Role == "model" && results != nil {
		return nil, nil, errors.New("calls of the user, or results of the model")
	}
	return calls, results, nil
}

// wellFormed returns an error unless the part is one thing, and whole.
func (p part) wellFormed() error {
	fault := fmt.Errorf("a part that is not valid: %+v", p)
	things := 0
	if p.Text != nil {
		if things++; remote.Blank(*p.Text) { // nothing here is signed
			return fault
		}
	}
	if p.Call != nil {
		things++
		if _, err := strictjson.Object(p.Call.Args); err != nil || p.Call.ID == "" || !aName.MatchString(p.Call.Name) {
			return fault
		}
	}
	if p.Result != nil {
		things++
		if r := p.Result.Response; p.Result.ID == "" || !aName.MatchString(p.Result.Name) || remote.Blank(r.Output) == remote.Blank(r.Error) {
			return fault
		}
	}
	if p.Image != nil {
		things++
		if ok, _ := remote.CanShow(tool.Image{MIME: p.Image.MIME, Data: p.Image.Data}, "image/gif"); !ok {
			return fault
		}
	}
	if things != 1 {
		return fault
	}
	return nil
}
