package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/strictjson"
)

// open marks a route that needs no login. It is not a right that anybody
// holds: forgetting a route's right shuts it.
const open = auth.Right(-1)

// none is the body of a route that takes or gives none.
type none struct{}

// Route is one address, the right that it needs, and what it takes and gives.
type Route struct {
	Pattern  string // as net/http.ServeMux takes it
	Right    auth.Right
	Or       auth.Right // another one that will do, within limits that the route itself sets
	Summary  string
	Params   []Param      // of the query and the headers; those of the path stand in the pattern
	In, Out  reflect.Type // of the bodies; nil where there is none, or it is no JSON
	Status   int          // of success
	Hidden   bool         // no part of the API
	Bodyless bool         // it may be sent without a body, which is then an empty object
	Free     bool         // it ends something or keeps nothing, and so costs nothing of the hour's budget
	Large    bool         // its body may be larger than maxBody, up to maxAsk

	raw   string // the content types of an answer that isn't an Out
	serve func(c *call) error
}

// Param is a parameter of the query or, where its name begins with a capital
// letter, a header.
type Param struct {
	Name, What string
	Kind       reflect.Kind // String, Int64 or Bool
	words      []any        // all that there are; nil: any
}

// call is one request on its way through a route.
type call struct {
	w     http.ResponseWriter
	r     *http.Request
	who   auth.Identity
	route *Route
}

// route makes a route whose bodies are JSON of the types In and Out, which its
// description is made from.
func route[In, Out any](pattern string, right auth.Right, summary string, serve func(c *call, in In) (Out, error), params ...Param) Route {
	r := Route{Pattern: pattern, Right: right, Summary: summary, Params: params, Status: http.StatusOK}
	if reflect.TypeFor[In]() != reflect.TypeFor[none]() {
		r.In = reflect.TypeFor[In]()
	}
	if reflect.TypeFor[Out]() != reflect.TypeFor[none]() {
		r.Out = reflect.TypeFor[Out]()
	} else {
		r.Status = http.StatusNoContent
	}
	r.serve = func(c *call) error {
		var in In
		if c.route.In != nil {
			if err := c.body(&in); err != nil {
				return err
			}
		}
		out, err := serve(c, in)
		if err != nil {
			return err
		}
		if c.route.Out == nil {
			c.w.WriteHeader(http.StatusNoContent)
			return nil
		}
		writeJSON(c.w, c.route.Status, jsonType, out)
		return nil
	}
	return r
}

// created is a route whose success is 201.
func created(r Route) Route {
	r.Status = http.StatusCreated
	return r
}

// also is a route that serves another right as well.
func also(right auth.Right, r Route) Route {
	r.Or = right
	return r
}

// ends is a route that ends what was asked or begun. Whoever has no budget left may still
// deny and halt.
func ends(r Route) Route {
	r.Free = true
	return r
}

// keepsNothing is a route that only answers a question, in a body because that may be long.
func keepsNothing(r Route) Route {
	r.Free = true
	return r
}

// large is a route that takes a body of up to a mebibyte.
func large(r Route) Route {
	r.Large = true
	return r
}

// limit is how large a request's body may be, in bytes.
func (r *Route) limit() int64 {
	if r.Large {
		return maxAsk
	}
	return maxBody
}

// bodyless is a route that says what is missing where there is no body.
func bodyless(r Route) Route {
	r.Bodyless = true
	return r
}

// raw is a route that writes its answer itself.
func raw(pattern string, right auth.Right, contentType, summary string, serve func(c *call) error, params ...Param) Route {
	return Route{Pattern: pattern, Right: right, Summary: summary, Params: params, Status: http.StatusOK, raw: contentType, serve: serve}
}

// hidden is a route that is no part of the API.
func hidden(pattern string, serve func(c *call) error) Route {
	return Route{Pattern: pattern, Right: open, Hidden: true, serve: serve}
}

// body reads the body strictly.
func (c *call) body(into any) error {
	raw, err := io.ReadAll(c.r.Body)
	switch {
	case err != nil:
		err = fmt.Errorf("reading: %w", err)
	case bytes.Equal(bytes.TrimSpace(raw), []byte("null")):
		err = errors.New("the body is null: send a JSON object")
	case len(bytes.TrimSpace(raw)) > 0:
		err = strictjson.Decode(raw, into)
	case !c.route.Bodyless:
		err = errors.New("the body is missing: send a JSON object")
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return &fault{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is too large: at most %d bytes are taken", tooLarge.Limit)}
	case err != nil:
		return &fault{http.StatusBadRequest, err.Error()}
	}
	return nil
}

// checkQuery refuses parameters that the route does not have, or that are given
// twice: one that is misspelt would otherwise be ignored.
func (c *call) checkQuery() error {
	if c.route.Hidden {
		return nil
	}
	var known []string
	for _, p := range c.route.Params {
		if !p.header() {
			known = append(known, p.Name)
		}
	}
	for name, values := range c.r.URL.Query() {
		switch {
		case !contains(known, name):
			return invalid("%s: there is no such parameter here; there are: %s", name, orNone(known))
		case len(values) > 1:
			return invalid("%s: given twice", name)
		}
	}
	return nil
}

func (p Param) header() bool { return p.Name[0] >= 'A' && p.Name[0] <= 'Z' }

func contains(list []string, name string) bool {
	for _, n := range list {
		if n == name {
			return true
		}
	}
	return false
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func invalid(format string, args ...any) error {
	return &fault{http.StatusUnprocessableEntity, fmt.Sprintf(format, args...)}
}

// query is a parameter as a text.
func (c *call) query(name string) string { return c.r.URL.Query().Get(name) }

// truth is a parameter as a boolean; false when it is left out.
func (c *call) truth(name string) (bool, error) {
	text := c.query(name)
	if text == "" {
		return false, nil
	}
	yes, err := strconv.ParseBool(text)
	if err != nil {
		return false, invalid("%s: %q is neither true nor false", name, text)
	}
	return yes, nil
}

// number is a parameter as a number from low to high; fallback when it is left
// out.
func (c *call) number(name string, fallback, low, high int64) (int64, error) {
	text := c.query(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < low || n > high {
		return 0, invalid("%s: want a whole number from %d to %d, found %q", name, low, high, text)
	}
	return n, nil
}

// duration is a parameter as a time of at most longest; none when it is left
// out.
func (c *call) duration(name string, longest time.Duration) (time.Duration, error) {
	text := c.query(name)
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > longest {
		return 0, invalid("%s: want a time of at most %s, such as 30s, found %q", name, longest, text)
	}
	return d, nil
}
