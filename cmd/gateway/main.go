// Command gateway is Lineclear: an approval gateway for AI agents. Its verbs are in
// package cli; `gateway help` lists them.
package main

import (
	"os"

	"github.com/lineclear/lineclear/cli"
)

func main() { os.Exit(cli.Main()) }
