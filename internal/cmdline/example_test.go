package cmdline_test

import (
	"fmt"

	"github.com/lineclear/lineclear/internal/cmdline"
)

func Example() {
	line := cmdline.Parse("git status && sudo rm -r -f build")
	allow, err := cmdline.CompilePattern("git status *")
	if err != nil {
		panic(err)
	}
	deny, err := cmdline.CompilePattern("rm -rf *")
	if err != nil {
		panic(err)
	}
	for _, part := range line.Parts {
		fmt.Printf("%s: allowed %t, forbidden %t\n", part.Text, allow.Covers(part), deny.Match(part) == cmdline.Yes)
	}
	// Output:
	// git status: allowed true, forbidden false
	// sudo rm -r -f build: allowed false, forbidden false
	// rm -r -f build: allowed false, forbidden true
}
