package config

import (
	"cmp"
	"net/url"
	"os"
	"strings"
)

func (r resolver) cluster(f clusterFile) Cluster {
	if f.Postgres == "" {
		return Cluster{}
	}
	for name, address := range map[string]string{"postgres": f.Postgres, "listen": cmp.Or(f.Listen, f.Postgres)} {
		if u, err := url.Parse(address); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" || u.Host == "" {
			// What stands there may have a password.
			r.fault([]string{"cluster", name}, "this is no address of a database: write it like postgres://user:password@host:5432/lineclear, best in an environment variable; in a password, / ? # and %% are written %%2F %%3F %%23 and %%25")
		}
	}
	if f.NATS != "" {
		for address := range strings.SplitSeq(f.NATS, ",") {
			if u, err := url.Parse(strings.TrimSpace(address)); err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
				r.fault([]string{"cluster", "nats"}, "this is no address of a NATS server: write it like nats://user:password@host:4222 or tls://user:password@host:4222, several with commas, best in an environment variable; in a password, / ? # , and %% are written %%2F %%3F %%23 %%2C and %%25")
				break
			}
		}
	}
	if f.Node == "" {
		name, err := os.Hostname()
		if err != nil {
			r.fault([]string{"cluster", "node"}, "this machine has no name (%v): write one here, such as one", err)
		}
		f.Node = name
	}
	return Cluster(f)
}
