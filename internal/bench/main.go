// Command bench measures a gateway from outside: real programs, real sockets, a real disk. Baselines
// are measured in the same run: a bare WebSocket echo, a durable append, and a loop that writes one frame to
// many connections. It prints a table and writes JSON.
//
//	bench -gateway bin/gateway -json bench.json
//	bench -only 'turns|start' -profile DIR   # CPU and heap profiles of each gateway
//	bench compare before.json after.json
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/cli"
)

// profileVariable has the program be a gateway that leaves its profiles at that path.
const profileVariable = "LINECLEAR_BENCH_PROFILE"

// bench is one run.
type bench struct {
	program  string // the gateway
	self     string // this program, which is a gateway too when it is to leave profiles
	profiles string // where to leave them; empty: nowhere
	dir      string
	scale    float64
	current  string // the measure under way
	echo     time.Duration
	fsync    time.Duration
	results  []result
}

// result is one figure.
type result struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

func main() {
	if path := os.Getenv(profileVariable); path != "" {
		os.Exit(profiled(path))
	}
	if len(os.Args) == 4 && os.Args[1] == "compare" {
		exit(compare(os.Args[2], os.Args[3]))
	}
	var b bench
	flag.StringVar(&b.program, "gateway", "bin/gateway", "the program to measure")
	only := flag.String("only", "", "a regular expression of the measures to take beside the baselines")
	out := flag.String("json", "", "a file for the figures")
	flag.StringVar(&b.profiles, "profile", "", "a folder for CPU and heap profiles of each gateway")
	flag.Float64Var(&b.scale, "scale", 1, "of what there is most of: tabs, old sessions, events")
	flag.StringVar(&b.dir, "keep", "", "a folder to work in, which is left for a look at it")
	flag.Parse()
	exit(b.run(*only, *out))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func (b *bench) run(only, out string) (err error) {
	chosen, err := regexp.Compile("baselines|" + only)
	if err != nil {
		return err
	}
	if b.program, err = filepath.Abs(b.program); err != nil {
		return err
	}
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.dir == "" {
		if b.dir, err = os.MkdirTemp("", "lineclear-bench"); err != nil {
			return err
		}
		defer os.RemoveAll(b.dir)
		stopped := make(chan os.Signal, 1)
		signal.Notify(stopped, os.Interrupt, syscall.SIGTERM)
		go func() {
			<-stopped
			_ = os.RemoveAll(b.dir)
			os.Exit(1)
		}()
	}
	// Where gateways leave how they are reached.
	if err := os.Setenv("XDG_CACHE_HOME", filepath.Join(b.dir, "cache")); err != nil {
		return err
	}
	for _, m := range measures {
		if !chosen.MatchString(m.name) {
			continue
		}
		b.current = strings.ReplaceAll(m.name, " ", "-")
		fmt.Fprintln(os.Stderr, m.name, "…")
		if err := m.run(b, context.Background()); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	b.print()
	if out == "" {
		return nil
	}
	raw, err := json.Marshal(b.results, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(raw, '\n'), 0o600)
}

func (b *bench) put(name, unit string, value float64) {
	b.results = append(b.results, result{name, unit, value})
	fmt.Fprintf(os.Stderr, "  %s: %s %s\n", name, figure(value), unit)
}

func (b *bench) print() {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, r := range b.results {
		fmt.Fprintf(w, "%s\t%s\t%s\n", r.Name, figure(r.Value), r.Unit)
	}
	_ = w.Flush()
}

// compare prints the figures of two runs side by side.
func compare(before, after string) error {
	old, err := load(before)
	if err != nil {
		return err
	}
	now, err := load(after)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\tbefore\tafter\t\tratio")
	for _, r := range now {
		i := slices.IndexFunc(old, func(o result) bool { return o.Name == r.Name })
		if i < 0 {
			fmt.Fprintf(w, "%s\t–\t%s\t%s\t\n", r.Name, figure(r.Value), r.Unit)
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.Name, figure(old[i].Value), figure(r.Value), r.Unit, figure(r.Value/old[i].Value))
	}
	return w.Flush()
}

func load(path string) (results []result, err error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &results); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return results, nil
}

// profiled is the gateway, with a CPU profile of its life and a heap profile of its end.
func profiled(path string) int {
	runtime.MemProfileRate = 4096
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return 1
	}
	f, err := os.Create(path + ".cpu")
	if err != nil || pprof.StartCPUProfile(f) != nil {
		return 1
	}
	heap := make(chan os.Signal, 1)
	signal.Notify(heap, syscall.SIGUSR1)
	go func() {
		for range heap {
			runtime.GC()
			for _, kind := range []string{"goroutine", "heap"} {
				if f, err := os.Create(path + "." + kind); err == nil {
					_ = pprof.Lookup(kind).WriteTo(f, 1)
					_ = f.Close()
				}
			}
		}
	}()
	code := cli.Main()
	pprof.StopCPUProfile()
	_ = f.Close()
	return code
}

// scaled is a count of what there is most of, in this run; tens at least.
func (b *bench) scaled(n int) int { return max(1000, int(float64(n)*b.scale)/1000*1000) }

func median(times []time.Duration) time.Duration { return quantile(times, 0.5) }

func quantile(times []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// figure has three digits that say something.
func figure(v float64) string {
	if v == 0 || math.Abs(v) >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.*f", max(0, 2-int(math.Floor(math.Log10(math.Abs(v))))), v)
}

// ownCPU is the processor time that this program has used.
func ownCPU() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
