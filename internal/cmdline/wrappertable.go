package cmdline

// wrapper is how a program is called that runs another one.
type wrapper struct {
	options string // the options it may have: -x alone, -x: with a value, -x? with a value in the same word
	skip    int    // arguments before the program
	kind    wrapperKind
	light   bool // changes nothing by itself
}

type wrapperKind int

const (
	runs       wrapperKind = iota // the words after its own are a program and its arguments
	assigns                       // the same, after NAME=value words
	runsShell                     // the words are joined and handed to a shell
	appends                       // more arguments are added (xargs)
	fills                         // arguments are put in (parallel)
	remote                        // a shell on another machine (ssh)
	codeOption                    // a shell runs the value of -c
)

// wrapperFor returns how a wrapper is called. It has only the options that are
// understood: with any other, nobody knows which word is the program.
func wrapperFor(name string) (wrapper, bool) {
	w := wrapper{}
	switch name {
	case "env":
		w = wrapper{kind: assigns, light: true, options: "-i --ignore-environment -0 --null -v --debug -u: --unset: -C: --chdir: -S: --split-string:"}
	case "nice":
		w = wrapper{light: true, options: "-n: --adjustment:"}
	case "nohup":
		w = wrapper{light: true}
	case "timeout":
		w = wrapper{light: true, skip: 1, options: "-s: --signal: -k: --kill-after: --foreground --preserve-status -v --verbose"}
	case "time":
		w = wrapper{light: true, options: "-p -v --verbose -a --append -q --quiet --portability -f: --format: -o: --output:"}
	case "command":
		w = wrapper{light: true, options: "-p -v -V"}
	case "builtin":
		w = wrapper{light: true}
	case "exec":
		w = wrapper{light: true, options: "-c -l -a:"}
	case "stdbuf":
		w = wrapper{light: true, options: "-i: --input: -o: --output: -e: --error:"}
	case "ionice":
		w = wrapper{light: true, options: "-c: --class: -n: --classdata: -t --ignore"}
	case "chrt":
		w = wrapper{light: true, skip: 1, options: "-f --fifo -r --rr -o --other -b --batch -i --idle -v --verbose"}
	case "taskset":
		w = wrapper{light: true, skip: 1, options: "-c --cpu-list"}
	case "chronic":
		w = wrapper{light: true, options: "-v -e"}
	case "watch":
		w = wrapper{kind: runsShell, light: true, options: "-n: --interval: -d? --differences? -t --no-title -e --errexit -g --chgexit -c --color -b --beep -x --exec -p --precise"}
	case "xargs":
		w = wrapper{kind: appends, light: true, options: "-0 --null -r --no-run-if-empty -t --verbose -p --interactive -x --exit -o --open-tty " +
			"-n: --max-args: -P: --max-procs: -L: --max-lines? -l? -s: --max-chars: -d: --delimiter: -E: -e? --eof? -a: --arg-file: -I: -i? --replace?"}
	case "parallel":
		w = wrapper{kind: fills, options: "-0 --null -k --keep-order -j: --jobs: -P: -n: --max-args: -t --verbose --bar --progress --dry-run --halt: --no-notice --will-cite"}
	default:
		return riskyWrapper(name)
	}
	return w, true
}

// riskyWrapper has the wrappers that do something themselves.
func riskyWrapper(name string) (wrapper, bool) {
	w := wrapper{}
	switch name {
	case "sudo":
		w = wrapper{kind: assigns, options: "-A --askpass -b --background -E --preserve-env? -H --set-home -i --login -K --remove-timestamp -k --reset-timestamp " +
			"-l --list -n --non-interactive -P --preserve-groups -S --stdin -s --shell -V --version -v --validate " +
			"-C: --close-from: -D: --chdir: -g: --group: -h: --host: -p: --prompt: -R: --chroot: -T: --command-timeout: -u: --user:"}
	case "doas":
		w = wrapper{options: "-L -n -s -a: -C: -u:"}
	case "su":
		w = wrapper{kind: codeOption, options: "-c: --command: -l --login -m -p --preserve-environment -P --pty -f --fast -s: --shell: -g: --group: -G: --supp-group:"}
	case "runuser":
		w = wrapper{kind: codeOption, options: "-c: --command: -l --login -m -p --preserve-environment -P --pty -f --fast -s: --shell: -u: --user: -g: --group: -G: --supp-group:"}
	case "script":
		w = wrapper{kind: codeOption, options: "-c: --command: -a --append -e --return -f --flush -q --quiet -T: --log-timing: -O: --log-out: -I: --log-in: -B: --log-io:"}
	case "setsid":
		w = wrapper{options: "-c --ctty -f --fork -w --wait"}
	case "unshare":
		w = wrapper{options: "-m --mount? -u --uts? -i --ipc? -n --net? -p --pid? -U --user? -C --cgroup? -f --fork -r --map-root-user --mount-proc? --keep-caps"}
	case "nsenter":
		w = wrapper{options: "-t: --target: -m --mount? -u --uts? -i --ipc? -n --net? -p --pid? -U --user? -C --cgroup? -F --no-fork -a --all"}
	case "chroot":
		w = wrapper{skip: 1, options: "--userspec: --groups: --skip-chdir"}
	case "flock":
		w = wrapper{skip: 1, options: "-s --shared -x -e --exclusive -n --nb --nonblock -u --unlock -w: --wait: --timeout: -E: --conflict-exit-code: -o --close -F --no-fork --verbose -c: --command:"}
	case "strace":
		w = wrapper{options: "-f -ff -F -c -C -k -q -qq -r -t -tt -ttt -T -v -x -xx -y -yy -i -e: -o: -s: -a: -S: -P: -O: -u: -E:"}
	case "ltrace":
		w = wrapper{options: "-f -c -C -i -L -r -S -t -tt -T -e: -o: -s: -a: -n: -l: -u:"}
	case "ssh":
		w = wrapper{kind: remote, skip: 1, options: "-4 -6 -A -a -C -f -K -k -q -T -t -v -X -x -Y -y -n -b: -c: -i: -l: -m: -p:"}
	default:
		return w, false
	}
	return w, true
}

// shellName says whether a program is a shell.
func shellName(name string) bool {
	switch name {
	case "sh", "bash", "dash", "ash", "zsh", "ksh", "ksh93", "mksh", "pdksh", "yash", "rbash", "fish", "csh", "tcsh", "pwsh", "powershell",
		"nu", "xonsh", "elvish", "rc", "es", "hush", "posh", "oil", "osh", "ysh", "cmd", "cmd.exe", "powershell.exe", "pwsh.exe":
		return true
	}
	return false
}
