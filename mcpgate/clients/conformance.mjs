// Runs the official conformance suite's server scenarios against a server, without the gate
// and with the gate in front of it. What passes without has to pass with it.
import { spawn } from "node:child_process"
import { createServer, request } from "node:http"
import { join } from "node:path"

import { gateway, modules, pause } from "./kit.mjs"

const suite = join(modules, "@modelcontextprotocol/conformance/dist/index.js")

function conform(url) {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [suite, "server", "--url", url], { stdio: ["ignore", "pipe", "inherit"] })
    let text = ""
    child.stdout.on("data", (part) => (text += part))
    child.on("error", fail)
    child.on("exit", () => done(text))
  })
}

// results are the scenarios' by name: true where nothing failed.
function results(text) {
  const found = new Map()
  for (const [, mark, name, passed, failed] of text.matchAll(/^\s*([✓✗])\s+([\w-]+):\s+(\d+) passed, (\d+) failed/gm)) {
    found.set(name, mark === "✓" && failed === "0" && passed !== "0")
  }
  return found
}

// bearer is a server in front of the gateway that adds a token, which the suite can't send.
function bearer(gate, name) {
  const to = new URL(gate.url)
  const server = createServer((from, answer) => {
    const headers = { ...from.headers, authorization: "Bearer " + gate.secret }
    if (/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(headers.host ?? "")) headers.host = to.host
    if (/^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?$/.test(headers.origin ?? "")) headers.origin = to.origin
    const on = request({ host: to.hostname, port: to.port, path: "/mcp/" + name, method: from.method, headers }, (got) => {
      answer.writeHead(got.statusCode, got.headers)
      answer.flushHeaders()
      got.pipe(answer)
    })
    on.on("error", () => answer.destroy())
    answer.on("close", () => on.destroy())
    from.pipe(on)
  })
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)))
}

const port = 20000 + Math.floor(Math.random() * 20000)
const server = spawn(process.env.EVERYTHING, ["-stateless=false", "-http", `127.0.0.1:${port}`], { stdio: "inherit" })
const direct = `http://127.0.0.1:${port}/mcp`
const fronts = []
let gate
try {
  for (;;) {
    if (await fetch(direct).then(() => true, () => false)) break
    await pause(50)
  }
  gate = await gateway(`agents:
  free: {kind: external, mcp: {far: , near: }, toolConfirmation: {mode: auto-approve}}
mcpServers:
  far: {url: "${direct}"}
  near: {command: "${process.env.EVERYTHING}"}
`)
  const text = await conform(direct)
  const without = results(text)
  if (without.size < 25) throw new Error("the suite's results can't be read: " + text)
  const count = (all) => [...all.values()].filter((passed) => passed).length
  console.log(`conformance without the gate: ${count(without)} of ${without.size} scenarios pass`)
  for (const name of ["far", "near"]) {
    const front = await bearer(gate, name)
    fronts.push(front)
    const text = await conform(`http://localhost:${front.address().port}/mcp`)
    const gated = results(text)
    console.log(`conformance with the gate in front of a server ${name === "far" ? "on HTTP" : "on stdio"}: ${count(gated)} of ${gated.size} scenarios pass`)
    const lost = [...without].filter(([scenario, passed]) => passed && !gated.get(scenario)).map(([scenario]) => scenario)
    if (lost.length > 0) throw new Error(`${text}\nwith the gate these do not pass: ${lost.join(", ")}`)
  }
} finally {
  for (const front of fronts) {
    front.close()
    front.closeAllConnections()
  }
  await gate?.stop()
  server.kill()
}
