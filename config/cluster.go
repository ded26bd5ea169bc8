package config

import (
	"cmp"
	"net/url"
	"os"
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
	if f.Node == "" {
		name, err := os.Hostname()
		if err != nil {
			r.fault([]string{"cluster", "node"}, "this machine has no name (%v): write one here, such as one", err)
		}
		f.Node = name
	}
	return Cluster(f)
}
