package cli

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/store"
)

// saySize writes what takes up how much of a data folder.
func saySize(c *cobra.Command, p *location, o *printer) error {
	g, err := p.gateway()
	if err != nil {
		return err
	}
	z, err := store.SizeOf(c.Context(), g.Data, g.Retention, time.Now())
	if err != nil {
		return err
	}
	return o.print(c, z, func(w io.Writer) error {
		return sayBytes(w, z, g.Retention.Sessions+g.Retention.Requests+g.Retention.Audit > 0)
	})
}

func sayBytes(w io.Writer, z store.Size, removes bool) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(bytes int64, what string) { fmt.Fprintf(out, "%s\t  %s\n", megabytes(bytes), what) }
	line(z.Database, store.FileName)
	line(z.Free, "of it free: used again before the file grows")
	for _, t := range z.Tables {
		if t.Bytes >= 1<<16 {
			line(t.Bytes, "table "+t.Name)
		}
	}
	line(z.Log, store.FileName+"-wal, emptied into the database as it goes")
	if err := out.Flush(); err != nil {
		return err
	}
	if !removes {
		_, err := fmt.Fprintln(w, "\nNothing is ever removed: gateway.retention is not set.")
		return err
	}
	f := z.Frees
	_, err := fmt.Fprintf(w, "\nRetention would free now, roughly: %d sessions (%s), %d requests (%s), %d audit records (%s).\n", f.Sessions, megabytes(f.SessionBytes),
		f.Requests, megabytes(f.RequestBytes), f.Records, megabytes(f.RecordBytes))
	return err
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
