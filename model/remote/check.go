package remote

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// namedModels is how many of a server's models an error lists.
const namedModels = 8

// Check asks the server for the model by its name, then for the list of its models, and
// says in words what it found. models is the path of the list. A server that does not
// list its models is no failure. One that lists others, and not this one, is.
func (s *Server) Check(ctx context.Context, models string) (found string, err error) {
	wanted := s.Options.Model
	one, known, err := s.get(ctx, models+"/"+url.PathEscape(wanted))
	if err != nil {
		return "", err
	}
	if known && strictjson.Kind(one) == '{' {
		return "answers, and has the model " + wanted, nil
	}
	list, known, err := s.get(ctx, models)
	if err != nil {
		return "", err
	}
	names := modelsOf(list)
	switch {
	case !known || len(names) == 0:
		return "answers, but does not tell which models it has", nil
	case slices.ContainsFunc(names, func(name string) bool { return sameModel(name, wanted) }):
		return "answers, and has the model " + wanted, nil
	}
	return "", s.named(&model.Error{Kind: model.Rejected, Detail: fmt.Sprintf("the server does not have the model %s; it has %s", wanted, firstNames(names))})
}

// get asks for a page that a server need not have. known says whether it has it.
func (s *Server) get(ctx context.Context, path string) (body tool.JSON, known bool, err error) {
	missing := false
	send := func(ctx context.Context, w *watch) (*http.Response, error) {
		res, err := s.send(ctx, w, http.MethodGet, path, nil)
		missing = res != nil && slices.Contains([]int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}, res.StatusCode)
		return res, err
	}
	err = s.exchange(ctx, send, &Reading{}, func(res *http.Response) error {
		raw, err := io.ReadAll(res.Body)
		if err != nil {
			return Broken("the answer broke off", err)
		}
		body = raw
		return nil
	})
	if missing {
		return nil, false, nil
	}
	return body, err == nil, err
}

// modelsOf are the names on a list, in either of the two forms that servers use.
func modelsOf(list tool.JSON) []string {
	type entry struct {
		ID   tool.JSON `json:"id"`
		Name tool.JSON `json:"name"`
	}
	var l struct {
		Data   []entry `json:"data"`
		Models []entry `json:"models"`
	}
	if json.Unmarshal(list, &l, Lenient()) != nil {
		return nil
	}
	var names []string
	for _, e := range append(l.Data, l.Models...) {
		name, ok := Text(e.ID)
		if !ok {
			name, ok = Text(e.Name)
		}
		if ok {
			names = append(names, name)
		}
	}
	return names
}

// sameModel reports whether a listed name means the wanted model. Gemini puts
// "models/" before it, Ollama ":latest" after it.
func sameModel(name, wanted string) bool {
	return strings.TrimPrefix(name, "models/") == strings.TrimPrefix(wanted, "models/") || name == wanted+":latest"
}

func firstNames(names []string) string {
	if len(names) <= namedModels {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:namedModels], ", "), len(names)-namedModels)
}
