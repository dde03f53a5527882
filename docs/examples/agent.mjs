import { randomUUID } from "node:crypto"
import { spawnSync } from "node:child_process"
import http from "node:http"
import os from "node:os"
import { setTimeout as sleep } from "node:timers/promises"

const socketPath = process.env.AOCTL_SOCKET ?? `${os.homedir()}/.local/state/aoctl/broker.sock`
const session = randomUUID()

// Status and answer; rejects when there is none.
function api(path, body, signal) {
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath, path, method: body ? "POST" : "GET", signal, timeout: 40_000, agent: false }, answer => {
      let text = ""
      answer.setEncoding("utf8").on("data", part => (text += part)).on("error", reject)
      answer.on("end", () => {
        try {
          resolve({ status: answer.statusCode, answer: JSON.parse(text) })
        } catch (error) {
          reject(error)
        }
      })
    })
    request.on("timeout", () => request.destroy(new Error("the console is silent"))).on("error", reject)
    request.end(body && JSON.stringify(body))
  })
}

// The answer, over as many connections as it takes.
async function wait(id, until, signal) {
  while (Date.now() < until) {
    const got = await api(`/approval-requests/${id}/decision?timeout=25`, undefined, signal).catch(async error => {
      if (error instanceof SyntaxError) throw error
      await sleep(1000, undefined, { signal }) // the console restarts: the question is still there
      return { status: 202 }
    })
    if (got.status === 200) return got.answer
    if (got.status !== 202) throw new Error(`the console answers with status ${got.status}`)
  }
  throw new Error("nobody answered in time")
}

// The input to run with; whatever it throws means that the call must not run.
async function ask(tool, input, { signal, timeout = 600 } = {}) {
  const id = randomUUID()
  let answer
  try {
    const asked = await api("/create-approval-request", {
      request_id: id, session_id: session, agent: "nightly", tool_name: tool, tool_input: input, cwd: process.cwd(), timeout,
    }, signal)
    if (asked.status !== 200) throw new Error(asked.answer.error.message)
    answer = await wait(id, Date.now() + timeout * 1000, signal)
  } catch (error) { // nobody waits any more, so the card is to close
    await api(`/approval-requests/${id}/cancel`, { reason: "the agent does not wait any more" }).catch(() => {})
    throw error
  }
  if (answer.decision !== "allow" || answer.request_id !== id) throw new Error(answer.reason ?? "refused")
  return answer.updated_input ?? input
}

const stopped = async () => (await api(`/check-stop/${session}`)).answer.stop_requested

async function tell(event_type) {
  const { status } = await api("/events", { event_type, session_id: session, agent: "nightly" })
  if (status !== 200) throw new Error(`the console answers with status ${status}`)
}

const escape = new AbortController()
process.once("SIGINT", () => escape.abort())

await tell("session_start")
for (const command of ["echo one", "echo two", "echo three"]) {
  try {
    const input = await ask("Bash", { command }, { signal: escape.signal })
    spawnSync("sh", ["-c", input.command], { stdio: "inherit" })
  } catch (error) {
    if (escape.signal.aborted) process.exit(130)
    console.log("refused:", error.message)
  }
  if (await stopped()) {
    console.log("stopped")
    break
  }
}
await tell("session_stop")
