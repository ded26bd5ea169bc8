package config

import "net/url"

func (r resolver) traces(f tracesFile, at []string) Traces {
	if f.Endpoint == "" {
		return Traces{}
	}
	place := append(at[:len(at):len(at)], "endpoint")
	if u, err := url.Parse(f.Endpoint); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		r.fault(place, "%s is no address of a collector: write it like http://127.0.0.1:4318/v1/traces", r.doc.given(place))
	}
	return Traces(f)
}
