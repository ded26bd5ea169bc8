//go:build failpoints

package failpoint

import (
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite "modernc.org/sqlite/lib"
)

// The C structs of SQLite's file interface.
type (
	open  = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32
	write = func(tls *libc.TLS, file, data uintptr, n int32, at int64) int32
	sync_ = func(tls *libc.TLS, file uintptr, flags int32) int32
)

// Disk makes one of SQLite's writes or syncs fail: the third write if LINECLEAR_FAULT ends
// with "#write3", the third sync if it ends with "#sync3".
var Disk = sync.OnceFunc(func() {
	tls := libc.NewTLS()
	vfs := (*sqlite.Tsqlite3_vfs)(pointer(sqlite.Xsqlite3_vfs_find(tls, 0)))
	opened := *called[open](vfs.FxOpen)
	faulty := map[uintptr]uintptr{} // by the methods that they replace
	var mu sync.Mutex
	vfs.FxOpen = address(open(func(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32 {
		code := opened(tls, vfs, name, file, flags, out)
		methods := (*uintptr)(pointer(file))
		if code != sqlite.SQLITE_OK || *methods == 0 {
			return code
		}
		mu.Lock()
		defer mu.Unlock()
		if faulty[*methods] == 0 {
			faulty[*methods] = withFaults(tls, *methods)
		}
		*methods = faulty[*methods]
		return code
	}))
})

// withFaults is a copy of a file's methods whose write and sync can fail.
func withFaults(tls *libc.TLS, methods uintptr) uintptr {
	size := unsafe.Sizeof(sqlite.Tsqlite3_io_methods{})
	made := libc.Xmalloc(tls, libc.Tsize_t(size))
	copied := (*sqlite.Tsqlite3_io_methods)(pointer(made))
	*copied = *(*sqlite.Tsqlite3_io_methods)(pointer(methods))
	written, synced := *called[write](copied.FxWrite), *called[sync_](copied.FxSync)
	copied.FxWrite = address(write(func(tls *libc.TLS, file, data uintptr, n int32, at int64) int32 {
		if due("write") {
			return sqlite.SQLITE_IOERR_WRITE
		}
		return written(tls, file, data, n, at)
	}))
	copied.FxSync = address(sync_(func(tls *libc.TLS, file uintptr, flags int32) int32 {
		if due("sync") {
			return sqlite.SQLITE_IOERR_FSYNC
		}
		return synced(tls, file, flags)
	}))
	return made
}

func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// address turns a function into a C function pointer; called turns it back.
func address[F any](f F) uintptr {
	kept = append(kept, &f)
	return *(*uintptr)(unsafe.Pointer(&f))
}

func called[F any](f uintptr) *F { return (*F)(unsafe.Pointer(&struct{ uintptr }{f})) }

var kept []any // keeps alive what only C code points to
