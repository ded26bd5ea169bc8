// Package failpoint names the edges at which tests kill the process. In an
// ordinary build Here does nothing. In one with the tag failpoints it kills
// the process, as kill -9 does, when it comes by the edge that the environment
// variable LINECLEAR_FAILPOINT names: "edge" for the first time, "edge#3" for
// the third. Fault is a full disk, for as long as a test wants or for one commit;
// Disk makes one of SQLite's writes or syncs fail.
package failpoint
