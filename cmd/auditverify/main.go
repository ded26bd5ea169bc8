// Command auditverify says whether an exported audit log is whole and unchanged.
// It shares with the gateway only the format of records and how they are shown, so
// that it can be built, read and trusted independently.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/internal/mask"
)

func main() {
	out, failure := mask.NewWriter(os.Stdout), mask.NewWriter(os.Stderr) // the file may come from anybody
	code := run(os.Args[1:], os.Stdin, out, failure)
	if errors.Join(out.Flush(), failure.Flush()) != nil && code == audit.Fine {
		code = audit.CouldNot
	}
	os.Exit(code)
}

// run is the program, and returns what it ends with.
func run(args []string, in io.Reader, out, failure io.Writer) int {
	var e audit.Expected
	flags := flag.NewFlagSet("auditverify", flag.ContinueOnError)
	flags.SetOutput(failure)
	flags.Var(&e.Keys, "key", "the `PUBLICKEY` that has to have signed it, as gateway audit key prints it; can be given again")
	flags.Var(&e.Heads, "expect", "a record that has to be in it, as `SEQ:HASH`; can be given again")
	flags.Var(&e.After, "after", "the record before the first, as `SEQ:HASH`, of a part")
	flags.Usage = func() {
		fmt.Fprintf(failure, "auditverify [--key PUBLICKEY] [--expect SEQ:HASH] [--after SEQ:HASH] [FILE...]\n\n"+
			"Verifies an audit log that `gateway audit export` wrote, or that was cut off; several are parts of one, oldest first. Without FILE, standard input.\n%s\n\n", audit.Exits())
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return audit.CouldNot
	}
	names := flags.Args()
	if len(names) == 0 {
		names = []string{"-"}
	}
	var parts []iter.Seq2[audit.Record, error]
	for _, name := range names {
		if name == "-" {
			parts = append(parts, audit.Lines(in))
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			fmt.Fprintln(failure, "auditverify: "+err.Error())
			return audit.CouldNot
		}
		defer func() { _ = f.Close() }()
		parts = append(parts, audit.Lines(f))
	}
	return audit.Check(out, failure, e, audit.Joined(parts...))
}
