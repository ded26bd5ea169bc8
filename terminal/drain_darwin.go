package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// flush has the system forget what was typed at a terminal and not yet read,
// also the beginning of a line.
func flush(file *os.File) {
	onDescriptor(file, func(fd int) { _ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, unix.TCIFLUSH) })
}

// drain has nothing to do where flush has done it.
func drain(*os.File) {}
