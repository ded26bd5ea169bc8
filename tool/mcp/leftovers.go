package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"github.com/google/uuid"

	"github.com/lineclear/lineclear/internal/process"
	"github.com/lineclear/lineclear/tool/mcp/transport"
)

// The variables by which a program and all that it starts are found again: the
// one connection that it is for, and whose it is.
const (
	connectionVariable = "LINECLEAR_CONNECTION_ID"
	ownerVariable      = "LINECLEAR_OWNER"
)

// newFamily is what the program of one connection and its children are.
func newFamily() process.Family {
	return process.Family{Mark: process.Mark{Name: connectionVariable, Value: uuid.NewString()}}
}

func ownedBy(owner string) process.Mark {
	return process.Mark{Name: ownerVariable, Value: owner}
}

// OwnerOf is the Owner of all that belongs to a folder, whichever way its path is
// written. Of a folder that only one process at a time may use, such as the one
// that holds a gateway's data, what is left over has no other owner.
func OwnerOf(folder string) (string, error) {
	full, err := filepath.Abs(folder)
	if err == nil {
		full, err = filepath.EvalSymlinks(full)
	}
	if err != nil {
		return "", fmt.Errorf("mcp: owner: %w", err)
	}
	sum := sha256.Sum256([]byte(full))
	return hex.EncodeToString(sum[:16]), nil
}

// EndLeftovers ends the programs of an owner, with all that they have started,
// that a process which is gone has left running, as after a crash. It is to be
// called before an owner's first Server starts anything, and only by a process
// that knows that there is no other one of this owner. It reports whether there
// were any; an error names those that could not be ended. It finds them by their
// environment, which only Linux shows.
func EndLeftovers(owner string) (bool, error) {
	had, err := process.Family{Mark: ownedBy(owner)}.End(transport.Grace)
	if err != nil {
		return had, fmt.Errorf("mcp: leftovers: %w", err)
	}
	return had, nil
}
