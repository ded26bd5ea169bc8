// A gateway of the tests' own, and people who answer there.
import { spawn } from "node:child_process"
import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const bin = process.env.LINECLEAR_BIN
export const modules = join(dirname(fileURLToPath(import.meta.url)), "node_modules")
export const everything = [process.execPath, join(modules, "@modelcontextprotocol/server-everything/dist/index.js"), "stdio"]

export const pause = (ms) => new Promise((done) => setTimeout(done, ms))

// gateway starts one with a configuration, whose servers and agents are given as YAML.
export async function gateway(yaml) {
  const dir = mkdtempSync(join(tmpdir(), "lineclear-mcp-"))
  mkdirSync(join(dir, "agents"))
  const file = join(dir, "agents", "agents.yaml")
  writeFileSync(file, `gateway: {listen: "127.0.0.1:0", localKey: answers, limits: {requestsPerSecond: 100000, addressRequestsPerSecond: 100000}}\n${yaml}`)
  const env = { ...process.env, XDG_CACHE_HOME: join(dir, "cache"), XDG_CONFIG_HOME: join(dir, "config"), XDG_STATE_HOME: join(dir, "state") }
  const child = spawn(bin, ["serve", "--config", file, "--data", join(dir, "data")], { env, stdio: ["ignore", "ignore", "pipe"] })
  let log = ""
  child.stderr.on("data", (text) => (log += text))
  const folder = join(dir, "cache", "lineclear")
  let access
  while (!access) {
    if (child.exitCode !== null) throw new Error("the gateway has ended: " + log)
    try {
      access = JSON.parse(readFileSync(join(folder, readdirSync(folder).find((name) => name.endsWith(".json")))))
    } catch {
      await pause(20)
    }
  }
  const api = async (method, path, body) => {
    const headers = { Authorization: "Bearer " + access.token, "Content-Type": "application/json" }
    const response = await fetch(access.url + path, { method, headers, body: body && JSON.stringify(body) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text && JSON.parse(text)
  }
  const { secret } = await api("POST", "/api/tokens", { name: "a client", roles: ["agent"] })
  const gate = {
    dir,
    url: access.url,
    secret,
    api,
    env: { LINECLEAR_URL: access.url, LINECLEAR_TOKEN: secret },
    stop: async () => {
      child.kill()
      await new Promise((done) => (child.exitCode !== null ? done() : child.on("exit", done)))
      rmSync(dir, { recursive: true, force: true })
    },
    // waiting waits for the one request that stands before people.
    waiting: async () => {
      for (;;) {
        const { approvals } = await api("GET", "/api/approvals?status=pending")
        if (approvals.length > 0) return approvals[0]
        await pause(20)
      }
    },
    answer: async (answer) => {
      const request = await gate.waiting()
      await api("POST", "/api/approvals/" + request.approvalId, answer)
      return request
    },
    becomes: async (id, is) => {
      for (;;) {
        const now = await api("GET", "/api/approvals/" + id)
        if (is(now)) return now
        await pause(20)
      }
    },
  }
  return gate
}
