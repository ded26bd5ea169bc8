//go:build !linux && !darwin

package terminal

import "os"

// flush can't be done here: what was typed early is read as an answer when its
// Enter comes after the question.
func flush(*os.File) {}

// drain can't be done here.
func drain(*os.File) {}
