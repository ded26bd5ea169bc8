package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// flush has the system forget what was typed at a terminal and not yet read,
// also the beginning of a line.
func flush(file *os.File) {
	onDescriptor(file, func(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) })
}

// drain reads what is there, without waiting for more.
func drain(file *os.File) {
	onDescriptor(file, func(fd int) {
		var skipped [4096]byte
		for {
			ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			if n, err := unix.Poll(ready, 0); err != nil || n == 0 || ready[0].Revents&unix.POLLIN == 0 {
				return
			}
			if n, err := unix.Read(fd, skipped[:]); err != nil || n <= 0 {
				return
			}
		}
	})
}
