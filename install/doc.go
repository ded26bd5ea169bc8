// Package install puts the gateway's hook into the settings of coding agents, takes it out again,
// and tries with the agents' own programs whether it holds.
//
// What was in the settings stays there, byte for byte. A hook counts as installed only after it has
// denied the real program a call, and the model was told why. If that fails, the settings are put back.
// The command line that is tried is the one that is installed, except for the gateway's access file.
// Settings that are known to switch hooks off are refused.
// Uninstall takes out what Install put in, and gives the original bytes back where nobody else has
// changed the file. A record of both is kept in the user's configuration folder.
//
// # How to use it
//
// Of finds an agent, and Agent.At its settings. Settings.Plan says what would be written for a
// Definition, Plan.Apply writes and proves it, Settings.Uninstall undoes it, and Settings.State says
// how it stands. Agent.Failures tries the same definition, with short limits, against gateways that fail.
package install
