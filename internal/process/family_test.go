package process_test

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lineclear/lineclear/internal/process"
)

// started is a shell that has begun to wait for its child, and all that is to be
// waited for when it is over.
func started(t *testing.T, script string, mark process.Mark) (*exec.Cmd, <-chan error) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Env = append(os.Environ(), mark.Entry())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("%q: %v", line, err)
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	return cmd, over
}

func TestAFamilyIsEndedByItsGroupOrByItsMark(t *testing.T) {
	for name, family := range map[string]func(pid int, m process.Mark) process.Family{
		"by its group": func(pid int, _ process.Mark) process.Family { return process.Family{Group: pid} },
		"by its mark":  func(_ int, m process.Mark) process.Family { return process.Family{Mark: m} },
	} {
		for kind, script := range map[string]string{
			"that listens":     `sleep 300 & echo ready; wait`,
			"that does not":    `trap "" TERM; sleep 300 & echo ready; while :; do wait; done`,
			"that is one only": `echo ready; exec sleep 300`,
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				if _, err := os.Stat("/proc/self/environ"); err != nil {
					t.Skip("this system does not show processes' environments")
				}
				mark := process.Mark{Name: "TEST_MARK", Value: strings.ReplaceAll(t.Name(), " ", "-")}
				cmd, over := started(t, script, mark)
				if had, err := (process.Family{Mark: process.Mark{Name: "TEST_MARK", Value: "another"}}).End(time.Second); had || err != nil {
					t.Errorf("another family: %v, %v", had, err)
				}
				if had, err := family(cmd.Process.Pid, mark).End(50 * time.Millisecond); !had || err != nil {
					t.Errorf("it has ended %v: %v", had, err)
				}
				<-over
				if had, err := family(cmd.Process.Pid, mark).End(time.Second); had || err != nil {
					t.Errorf("then there is still something: %v, %v", had, err)
				}
			})
		}
	}
}

func TestAFamilyIsAskedBeforeItIsKilled(t *testing.T) {
	mark := process.Mark{Name: "TEST_MARK", Value: "asked-first"}
	cmd, over := started(t, `trap "exit 7" TERM; sleep 300 & echo ready; wait`, mark)
	if had, err := (process.Family{Group: cmd.Process.Pid}).End(time.Minute); !had || err != nil {
		t.Errorf("it has ended %v: %v", had, err)
	}
	<-over
	if code := cmd.ProcessState.ExitCode(); code != 7 {
		t.Errorf("what was asked ended with %d", code)
	}
}

func TestAskingSparesOneAndWaitsForNobody(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("this system does not show processes' environments")
	}
	mark := process.Mark{Name: "TEST_MARK", Value: "asked-and-spared"}
	// The first of them goes on by itself when its child has gone.
	cmd, over := started(t, `sleep 300 & echo ready; wait; exit 7`, mark)
	process.Family{Group: cmd.Process.Pid, Mark: mark}.Ask(cmd.Process.Pid)
	<-over
	if code := cmd.ProcessState.ExitCode(); code != 7 {
		t.Errorf("the one that was spared ended with %d", code)
	}
}

func TestNoFamilyIsTheOneOfTheZeroValue(t *testing.T) {
	for _, f := range []process.Family{{}, {Mark: process.Mark{Name: "PATH"}}, {Mark: process.Mark{Value: "x"}}} {
		if had, err := f.End(time.Second); had || err != nil {
			t.Errorf("%+v: %v, %v", f, had, err)
		}
	}
}
