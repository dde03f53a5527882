// A program on the Agent SDK. Arguments: the SDK's folder, a Claude Code, what is asked, more
// options of the SDK and of clients/js as JSON. It prints the SDK's result.
import { canUseTool, gate, hooks } from "../../../../clients/js/index.js"

const [sdk, claude, kind, more, own] = process.argv.slice(2)
const { query } = await import(`${sdk}/sdk.mjs`)
const ours = JSON.parse(own || "{}")
const gates = {
  canUseTool: () => ({ canUseTool: canUseTool({ agent: "nightly", ...ours }) }),
  hooks: () => ({ hooks: hooks(ours) }),
  gate: () => gate(ours),
  none: () => ({}),
}
const escape = new AbortController()
process.once("SIGINT", () => escape.abort())
const options = { pathToClaudeCodeExecutable: claude, settingSources: [], abortController: escape, ...gates[kind](), ...JSON.parse(more || "{}") }
for await (const message of query({ prompt: "do it", options })) {
  if (message.type === "result") console.log(JSON.stringify(message))
}
