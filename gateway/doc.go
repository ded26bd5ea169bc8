// Package gateway is the whole server: agents, approvals, doors and store, made from
// one configuration. `gateway serve` is its first user; a program that embeds a gateway
// is the next.
//
// # What it promises
//
//   - New opens everything or returns an error that names the setting and the remedy;
//     it starts nothing.
//   - Run serves until its ctx ends, then ends what was started last first; requests
//     that wait stay pending.
//   - Reload takes over what a new configuration says about clearing calls, or nothing.
//
// # How to use it
//
// Load settings with config.Load, make a Gateway with New, and Run it. A program with a
// server of its own names its origin in Config.Mounted, and serves Handler there.
package gateway
