package cli

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/internal/mask"
)

// printer prints what a verb has found: in words for people, or, with --json, as one
// JSON document for programs. An error is on standard error in both cases.
type printer struct{ json bool }

// masked ends the help of --json where calls, results or settings of others are printed.
const masked = "; passwords and keys are masked as for people"

func (p *printer) flag(c *cobra.Command, more string) {
	c.PersistentFlags().BoolVar(&p.json, "json", false, "print JSON for programs"+more)
}

// print writes v as JSON where that is wanted, and otherwise what text writes.
func (p *printer) print(c *cobra.Command, v any, text func(w io.Writer) error) error {
	if !p.json {
		return text(c.OutOrStdout())
	}
	return printJSON(c.OutOrStdout(), v, jsontext.WithIndent("  "))
}

// notes is where words go that are for a person in any case.
func (p *printer) notes(c *cobra.Command) io.Writer {
	if p.json {
		return c.ErrOrStderr()
	}
	return c.OutOrStdout()
}

// page is the one shape of lists.
type page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"` // what --after takes to go on; left out at the end
}

func pageOf[T any](items []T) page[T] { return page[T]{Items: items} }

// printJSON writes v with hidden characters as JSON escapes, which mean the same to a
// program.
func printJSON(w io.Writer, v any, o ...json.Options) error {
	raw, err := json.Marshal(v, append(o, json.Deterministic(true))...)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, mask.HiddenJSON(string(raw))+"\n")
	return err
}
