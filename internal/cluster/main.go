// Command cluster runs a cluster to try out, on this machine alone: a Postgres and a NATS server of its own,
// three gateways, and a proxy that leads to each in turn. A gateway that ends, however it ends, is started again. Ctrl-C ends
// all and removes the folder.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/lineclear/lineclear/cluster/natstest"
	"github.com/lineclear/lineclear/store/postgres/postgrestest"
)

const agents = `gateway: {listen: "${LISTEN}", publicOrigins: ["http://%s"], trustedProxies: [127.0.0.1], auditKey: %q}
cluster: {postgres: %q, nats: %q, node: "${NODE}"}
models: {demo: {provider: scripted}}
agents:
  demo: {model: demo, workdir: work, toolConfirmation: {timeout: 10m}, tools: {shell: {approval: {required: true}}}}
`

func main() {
	program := flag.String("gateway", "bin/gateway", "the program")
	listen := flag.String("listen", "127.0.0.1:8787", "where browsers connect")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *program, *listen); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, program, listen string) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	proxy, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "lineclear-cluster-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // it is for trying out
	server, err := postgrestest.New()
	if err != nil {
		return err
	}
	defer server.Stop()
	messages, err := natstest.New()
	if err != nil {
		return err
	}
	defer messages.Stop()
	for _, folder := range []string{"agents", "agents/work"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			return err
		}
	}
	file := filepath.Join(dir, "agents", "agents.yaml")
	yaml := fmt.Sprintf(agents, proxy.Addr(), filepath.Join(dir, "keys", "audit.pem"), server.URL("postgres"), messages.URL)
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		return err
	}
	all, ctx := errgroup.WithContext(ctx)
	var places []string
	for i := range 3 {
		place, err := freePlace()
		if err != nil {
			return err
		}
		places = append(places, place)
		node := fmt.Sprint("node", i+1)
		flags := []string{"--config", file, "--data", filepath.Join(dir, node)}
		if i == 0 { // one link is enough: it leads to the proxy
			flags = append(flags, "--print-link")
		}
		all.Go(func() error { return keep(ctx, node, place, program, flags) })
	}
	all.Go(func() error {
		<-ctx.Done()
		return proxy.Close()
	})
	all.Go(func() error { return lead(proxy, places) })
	fmt.Printf("Postgres is on port %d; the folder is %s. To see a takeover, kill a gateway.\n", server.Port, dir)
	return all.Wait()
}

func freePlace() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// keep runs a gateway, again and again, until ctx ends.
func keep(ctx context.Context, node, listen, program string, flags []string) error {
	for ctx.Err() == nil {
		c := exec.CommandContext(ctx, program, append([]string{"serve"}, flags...)...)
		c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
		c.WaitDelay = 15 * time.Second
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		c.Env = append(os.Environ(), "NODE="+node, "LISTEN="+listen)
		if err := c.Start(); err != nil {
			return err
		}
		fmt.Printf("%s is process %d.\n", node, c.Process.Pid)
		if err := c.Wait(); ctx.Err() == nil {
			fmt.Printf("%s has ended (%v), and is started again.\n", node, err)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
	return nil
}

// lead takes each connection to the next gateway that answers.
func lead(proxy net.Listener, places []string) error {
	for n := 0; ; n++ {
		client, err := proxy.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer func() { _ = client.Close() }()
			for i := range places {
				place := places[(n+i)%len(places)]
				if gateway, err := net.DialTimeout("tcp", place, time.Second); err == nil {
					join(client, gateway)
					return
				}
			}
		}()
	}
}

// join carries what either says to the other, until one ends.
func join(a, b net.Conn) {
	done := make(chan struct{}, 2)
	carry := func(to, from net.Conn) {
		_, _ = io.Copy(to, from) // that it ended is all there is to know
		done <- struct{}{}
	}
	go carry(a, b)
	go carry(b, a)
	<-done
	_ = a.Close()
	_ = b.Close()
	<-done
}
