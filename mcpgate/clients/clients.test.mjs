// Clients and a server that nobody here wrote, with the gate between them, by both roads.
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { promisify } from "node:util"

import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { CreateMessageRequestSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"

import { bin, everything, gateway, modules } from "./kit.mjs"

const run = promisify(execFile)
let gate

before(async () => {
  gate = await gateway(`agents:
  desk: {kind: external, mcp: {everything: }}
mcpServers:
  everything: {command: ${JSON.stringify(everything[0])}, args: ${JSON.stringify(everything.slice(1))}}
`)
})
after(() => gate?.stop())

const gated = (...flags) => ["mcp", "--agent", "desk", "--name", "everything", ...flags, "--", ...everything]

const roads = {
  stdio: () => new StdioClientTransport({ command: bin, args: gated(), env: { ...process.env, ...gate.env } }),
  http: () => new StreamableHTTPClientTransport(new URL(gate.url + "/mcp/everything"), { requestInit: { headers: { Authorization: "Bearer " + gate.secret } } }),
}

async function connect(transport) {
  const client = new Client({ name: "a client", version: "1" }, { capabilities: { elicitation: {}, sampling: {}, roots: {} } })
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "decline" }))
  client.setRequestHandler(CreateMessageRequestSchema, () => ({ model: "m", role: "assistant", content: { type: "text", text: "from a model" } }))
  await client.connect(transport)
  return client
}

const textOf = (result) => result.content.map((part) => part.text ?? part.type).join("\n")

for (const [road, transport] of Object.entries(roads)) {
  test(`the TypeScript SDK's client by ${road}`, async (t) => {
    const client = await connect(transport())
    t.after(() => client.close())
    const { tools } = await client.listTools()
    assert.ok(tools.some((tool) => tool.name === "echo"))
    assert.ok((await client.listResources()).resources.length > 0)
    assert.ok((await client.listPrompts()).prompts.length > 0)

    await t.test("a call is approved", async () => {
      const result = client.callTool({ name: "echo", arguments: { message: "hello" } })
      const asked = await gate.answer({ status: "approved" })
      assert.equal(asked.toolName, "everything__echo")
      assert.equal(asked.schema.properties.message.type, "string")
      assert.match(textOf(await result), /hello/)
      await gate.becomes(asked.approvalId, (now) => now.run === "finished" && /hello/.test(now.ran.text))
    })
    await t.test("a call is denied", async () => {
      const result = client.callTool({ name: "echo", arguments: { message: "no" } })
      await gate.answer({ status: "denied", message: "not this" })
      const told = await result
      assert.equal(told.isError, true)
      assert.match(textOf(told), /not this/)
    })
    await t.test("a call is cancelled", async () => {
      const stop = new AbortController()
      const result = client.callTool({ name: "echo", arguments: { message: "never" } }, undefined, { signal: stop.signal })
      const asked = await gate.waiting()
      stop.abort()
      await assert.rejects(result)
      await gate.becomes(asked.approvalId, (now) => now.status === "cancelled")
    })
    await t.test("a client that gives up by itself has cancelled", async () => {
      const result = client.callTool({ name: "echo", arguments: { message: "late" } }, undefined, { timeout: 300 })
      const asked = await gate.waiting()
      await assert.rejects(result, /timed out/)
      await gate.becomes(asked.approvalId, (now) => now.status === "cancelled")
    })
    await t.test("a call tells its progress", async () => {
      const steps = []
      const result = client.callTool({ name: "trigger-long-running-operation", arguments: { duration: 0.6, steps: 3 } }, undefined, { onprogress: (p) => steps.push(p.progress) })
      await gate.answer({ status: "approved" })
      assert.match(textOf(await result), /completed/i)
      // The SDK drops the last step if it reads it together with the result.
      assert.ok(steps.includes(1) && steps.includes(2), `it told ${steps}`)
    })
    await t.test("a server asks the client's person", async () => {
      const result = client.callTool({ name: "trigger-elicitation-request", arguments: {} })
      await gate.answer({ status: "approved" })
      assert.match(textOf(await result), /decline/i)
    })
    await t.test("a server asks the client's model, once that is cleared", async () => {
      const result = client.callTool({ name: "trigger-sampling-request", arguments: { prompt: "who?", maxTokens: 10 } })
      await gate.answer({ status: "approved" })
      const asked = await gate.answer({ status: "approved" })
      assert.equal(asked.toolName, "everything:sampling")
      assert.match(textOf(await result), /from a model/)
    })
  })
}

test("a client that can't wait calls again", async (t) => {
  const client = await connect(new StdioClientTransport({ command: bin, args: gated("--answer-within", "200ms"), env: { ...process.env, ...gate.env } }))
  t.after(() => client.close())
  const call = { name: "echo", arguments: { message: "twice" } }
  const told = await client.callTool(call)
  assert.equal(told.isError, true)
  const asked = await gate.answer({ status: "approved" })
  assert.match(textOf(told), new RegExp(asked.approvalId))
  let got
  do got = await client.callTool(call) // the answer may take longer than this client waits
  while (textOf(got).startsWith("Pending approval " + asked.approvalId))
  assert.match(textOf(got), /twice/)
  assert.ok(!got.isError)
})

const inspector = (...args) =>
  run(process.execPath, [join(modules, "@modelcontextprotocol/inspector/clients/launcher/build/index.js"), "--cli", ...args], { env: process.env })

const inspected = {
  stdio: (...args) => {
    const file = join(gate.dir, "mcp.json")
    writeFileSync(file, JSON.stringify({ mcpServers: { everything: { command: bin, args: gated(), env: gate.env } } }))
    return inspector("--config", file, "--server", "everything", ...args)
  },
  http: (...args) => inspector(gate.url + "/mcp/everything", "--transport", "http", "--header", "Authorization: Bearer " + gate.secret, ...args),
}

for (const [road, inspect] of Object.entries(inspected)) {
  test(`the inspector by ${road}`, async () => {
    const { stdout } = await inspect("--method", "tools/list")
    assert.match(stdout, /"echo"/)
    const call = ["--method", "tools/call", "--tool-name", "echo", "--tool-arg", "message=inspected"]
    let result = inspect(...call)
    await gate.answer({ status: "approved" })
    assert.match((await result).stdout, /inspected/)
    result = inspect(...call).catch((failed) => failed)
    await gate.answer({ status: "denied", message: "not this" })
    const denied = await result
    assert.match(denied.stdout + denied.stderr, /not this/)
  })
}
