package cli

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/terminal"
)

// unread ends a verb that could not find out what it was to say.
func unread(err error) error { return &exit{audit.CouldNot, err} }

// auditing is what the verbs of the audit log have in common.
type auditing struct {
	location
	printer
}

func auditCommand() *cobra.Command {
	p := &auditing{}
	verify := auditVerifyCommand(p)
	c := group("audit", "Verify and export the record of what happened; also beside a running gateway.",
		verify, auditExportCommand(p), auditHeadCommand(p), auditKeyCommand(p))
	c.Long = c.Short + "\n\n" + audit.Exits()
	p.flags(c)
	p.flag(c, "")
	return c
}

func auditVerifyCommand(p *auditing) *cobra.Command {
	var e audit.Expected
	var before []string
	c := &cobra.Command{
		Use:   "verify [FILE...]",
		Short: "Say whether the audit log of the data folder, or an exported file (-: standard input), is whole and unchanged.",
		RunE: func(c *cobra.Command, args []string) error {
			parts, done, err := opened(append(before, args...), c.InOrStdin())
			defer done()
			if err != nil {
				return unread(err)
			}
			if len(args) > 0 {
				return p.verify(c, e, audit.Joined(parts...))
			}
			return readAudit(c.Context(), p, func(l *store.AuditLog) error {
				return p.verify(c, e, audit.Joined(append(parts, l.Records(c.Context(), time.Time{}))...))
			})
		},
	}
	c.Long = c.Short + "\n\n" + audit.Exits()
	c.Flags().Var(&e.Keys, "key", "the public key that has to have signed it; can be given again")
	c.Flags().Var(&e.Heads, "expect", "a record that has to be in it, as audit head prints it; can be given again")
	c.Flags().StringArrayVar(&before, "before", nil, "a file that was cut off the log before (gateway.retention), to be verified with it as one; can be given again, oldest first")
	c.Flags().Var(&e.After, "after", "the record before the first, of a file that was exported with --since")
	return c
}

// opened opens exports to be read in order; done closes them.
func opened(names []string, stdin io.Reader) (parts []iter.Seq2[audit.Record, error], done func(), err error) {
	var files []*os.File
	done = func() {
		for _, f := range files {
			_ = f.Close() // it was only read
		}
	}
	for _, name := range names {
		if name == "-" {
			parts = append(parts, audit.Lines(stdin))
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, done, err
		}
		files, parts = append(files, f), append(parts, audit.Lines(f))
	}
	return parts, done, nil
}

// verified is what was found about a chain that holds.
type verified struct {
	Records int64     `json:"records"`
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Head    string    `json:"head"`
	Signed  int64     `json:"signed,omitzero"` // the last record that a checkpoint signs
	Key     string    `json:"key,omitempty"`   // which has signed it
	Pinned  bool      `json:"pinned"`          // the key was named
}

// verify says whether the records are a whole chain. What is wrong is in words on standard error.
func (p *auditing) verify(c *cobra.Command, e audit.Expected, records iter.Seq2[audit.Record, error]) error {
	r, err := e.Verify(records)
	if code := r.Say(p.notes(c), c.ErrOrStderr(), err); code != audit.Fine {
		return &exit{code: code}
	}
	if !p.json {
		return nil
	}
	v := verified{Records: r.Records, From: r.First.At, To: r.Last.At, Head: r.Last.Head().String(), Signed: r.Signed.Seq, Pinned: r.Pinned}
	if r.Signed.Seq > 0 {
		v.Key = audit.KeyText(r.Key)
	}
	return p.print(c, v, nil)
}

func readAudit(ctx context.Context, p *auditing, do func(*store.AuditLog) error) (err error) {
	g, err := p.gateway()
	if err != nil {
		return unread(err)
	}
	var read bool
	err = onFolder(ctx, g, func(dir string) error {
		l, err := store.OpenAuditLog(ctx, dir)
		if err != nil {
			return err
		}
		read = true
		return errors.Join(do(l), l.Close())
	}, "audit")
	if !read {
		return failed(err)
	}
	return err
}

func auditExportCommand(p *auditing) *cobra.Command {
	var format, since, file string
	c := &cobra.Command{
		Use: "export", Args: cobra.NoArgs,
		Short: "Write the audit log as lines of JSON, which can be verified, or as a table.",
		RunE: func(c *cobra.Command, _ []string) error {
			format, err := exportFormat(c, format, p.json)
			if err != nil {
				return err
			}
			from, err := timeFlag("since", since, time.Now())
			if err != nil {
				return err
			}
			return readAudit(c.Context(), p, func(l *store.AuditLog) error {
				return failed(toFile(file, exportWriter(c.OutOrStdout(), format), func(w io.Writer) error {
					if format == "csv" {
						return audit.WriteCSV(w, l.Records(c.Context(), from))
					}
					after, err := audit.WriteLines(w, l.Records(c.Context(), from))
					if err == nil && after.Seq > 0 {
						fmt.Fprintf(c.ErrOrStderr(), "It begins in the middle; verify it with: --after %v\n", after)
					}
					return err
				}))
			})
		},
	}
	c.Flags().StringVar(&format, "format", "jsonl", "jsonl, which is also what --json means, or csv")
	completeWords(c, "format", "jsonl", "csv")
	c.Flags().StringVar(&since, "since", "", "only from a time on: 2026-01-31, 2026-01-31T08:00:00Z, or how long ago, such as 24h")
	c.Flags().StringVar(&file, "out", "", "a new file, instead of standard output")
	return c
}

// exportWriter returns the writer for an export to standard output. Lines are written
// unchanged, so that they can be verified, except on a terminal, where control
// characters become JSON escapes. The cells of a table are clean already.
func exportWriter(out io.Writer, format string) io.Writer {
	w, ok := out.(*mask.Writer)
	switch {
	case !ok || format == "csv":
		return out
	case terminal.Interactive(terminal.FileOf(w)):
		return mask.NewJSONWriter(w)
	default:
		return w.Unwrap()
	}
}

// timeFlag reads a flag such as --since.
func timeFlag(name, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return at, nil
		}
	}
	return time.Time{}, usage("--%s %q is no time: use 2026-01-31, 2026-01-31T08:00:00Z, or how long ago, such as 24h", name, text)
}

// toFile has a new file written, or out where none is named. A file that could
// not be written whole does not stay; one that is there is left alone.
func toFile(name string, out io.Writer, write func(io.Writer) error) error {
	if name == "" {
		return write(out)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Sync(), f.Close())
	if err != nil {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

func failed(err error) error {
	if err == nil {
		return nil
	}
	return unread(err)
}

func auditHeadCommand(p *auditing) *cobra.Command {
	return &cobra.Command{
		Use: "head", Args: cobra.NoArgs,
		Short: "Print the number and hash of the newest record, to be kept elsewhere and given to verify with --expect.",
		RunE: func(c *cobra.Command, _ []string) error {
			return readAudit(c.Context(), p, func(l *store.AuditLog) error {
				h, err := l.Head(c.Context())
				if err == nil && h.Seq == 0 {
					err = errors.New("there are no records")
				}
				if err != nil {
					return unread(err)
				}
				return p.print(c, map[string]any{"head": h.String(), "seq": h.Seq, "hash": h.Hash}, func(w io.Writer) error {
					_, err := fmt.Fprintln(w, h)
					return err
				})
			})
		},
	}
}

func auditKeyCommand(p *auditing) *cobra.Command {
	var fresh bool
	c := &cobra.Command{
		Use: "key", Args: cobra.NoArgs,
		Short: "Print the public key with which the audit log's signatures are verified.",
		RunE: func(c *cobra.Command, _ []string) error {
			dir, file, err := p.paths()
			if err != nil {
				return unread(err)
			}
			public := func() (ed25519.PublicKey, error) { return store.PublicKey(file) }
			if fresh {
				public = func() (ed25519.PublicKey, error) { return store.NewKey(dir, file) }
			}
			key, err := public()
			if errors.Is(err, store.ErrNoKey) {
				err = fmt.Errorf("%w: it is made when the gateway starts for the first time", err)
			}
			if err != nil {
				return unread(err)
			}
			return p.print(c, map[string]string{"key": audit.KeyText(key)}, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, audit.KeyText(key))
				return err
			})
		},
	}
	c.Flags().BoolVar(&fresh, "new", false, "make a new key, for a stopped gateway whose key is lost or was moved away")
	return c
}
