// Written by "aoctl install opencode" and removed by "aoctl uninstall opencode": changes
// made here are lost. It asks the console before every tool call. opencode runs a call
// whenever the function below returns, so whatever is not an explicit "allow" throws.
import { spawn } from "node:child_process"

const CONFIG = __AOCTL_CONFIG__

const MAX_ANSWER = 32 * 1024 * 1024 // characters
const MAX_WORDS = 4000 // of what the client says about a refusal
const MAX_OUTPUT = 200000 // of a tool's result

const errorText = (e) => (e && e.message ? e.message : String(e))
// failure is what is told of an error that ended a turn; to interrupt a turn is none.
const failure = (e) => {
  if (!e || e.name === "MessageAbortedError") return {}
  const text = (e.data && e.data.message) || e.message || e.name
  return typeof text === "string" ? { error: text.slice(0, MAX_WORDS) } : {}
}
const denied = (reason) => new Error(reason || "aoctl: denied")

// run starts a client, hands it the payload and gives back what it printed. It rejects
// unless the client ends by itself, with exit code 0, within limit milliseconds.
function run(words, payload, limit, started) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(payload)
    let out = ""
    let said = ""
    let late = false
    const child = spawn(words[0], words.slice(1), { stdio: ["pipe", "pipe", "pipe"], windowsHide: true })
    const end = (settle, value) => {
      clearTimeout(timer)
      settle(value)
    }
    const give = (reason) => {
      late = true
      child.kill("SIGTERM")
      const kill = setTimeout(() => child.kill("SIGKILL"), 2000)
      if (kill.unref) kill.unref()
      end(reject, denied(reason))
    }
    const timer = setTimeout(() => give("aoctl: no answer in time, call refused"), limit)
    if (started) started(child)
    child.on("error", (e) => end(reject, denied("aoctl: the hook client cannot be started, call refused: " + errorText(e))))
    child.stdin.on("error", () => {}) // how the client ends tells more
    child.stdout.on("error", () => {})
    child.stderr.on("error", () => {})
    child.stdout.setEncoding("utf8")
    child.stderr.setEncoding("utf8")
    child.stdout.on("data", (s) => {
      out += s
      if (out.length > MAX_ANSWER && !late) give("aoctl: the hook client's answer is too long, call refused")
    })
    child.stderr.on("data", (s) => {
      if (said.length < MAX_WORDS) said += s.slice(0, MAX_WORDS - said.length)
    })
    child.on("close", (code, signal) => {
      if (code === 0 && !signal) return end(resolve, out)
      const why = signal ? "was ended by " + signal : "ended with exit code " + code
      end(reject, denied(said.trim() || "aoctl: the hook client " + why + ", call refused"))
    })
    child.stdin.end(text)
  })
}

// read takes nothing for an answer but one JSON object that says allow or deny.
function read(out) {
  let v
  try {
    v = JSON.parse(out)
  } catch (e) {
    throw denied("aoctl: the hook client's answer cannot be read, call refused: " + errorText(e))
  }
  if (v !== null && typeof v === "object" && v.decision === "deny") throw denied(typeof v.reason === "string" ? v.reason : "")
  if (v === null || typeof v !== "object" || v.decision !== "allow") throw denied("aoctl: the hook client's answer decides nothing, call refused")
  if (v.args !== undefined && (v.args === null || typeof v.args !== "object" || Array.isArray(v.args)))
    throw denied("aoctl: the hook client's answer has arguments that are no object, call refused")
  return v
}

export const AoctlGate = async ({ directory, worktree }) => {
  const waiting = new Map() // client: the session that it asks for
  const parents = new Map() // session: the one that started it
  let told = Promise.resolve() // what the console was told so far, in order

  const rootOf = (id) => {
    let at = id
    for (let n = 0; n < 100 && parents.has(at); n++) at = parents.get(at)
    return at
  }
  const payload = (event, sessionID, more) => {
    const root = rootOf(sessionID)
    return { event, sessionID, ...more, directory, worktree, ...(root && root !== sessionID ? { parentID: root } : {}) }
  }
  // tell never holds anything up and never fails.
  const tell = (event, sessionID, more) => {
    const p = payload(event, sessionID, more)
    told = told.then(() => run(CONFIG.watch, p, CONFIG.watchLimit)).catch(() => {})
  }
  // drop ends the clients that wait for a session, and with all for those that it started.
  const drop = (sessionID, all) => {
    for (const [child, id] of waiting) if (id === sessionID || (all && rootOf(id) === sessionID)) child.kill("SIGTERM")
  }
  // caughtUp waits until the console was told all, but not for long.
  const caughtUp = async () => {
    let timer
    await Promise.race([told, new Promise((resolve) => (timer = setTimeout(resolve, CONFIG.watchLimit)))])
    clearTimeout(timer)
  }

  return {
    "tool.execute.before": async (input, output) => {
      await caughtUp()
      const args = output.args
      let child
      try {
        const out = await run(
          CONFIG.gate,
          payload("tool.execute.before", input.sessionID, { tool: input.tool, callID: input.callID, args }),
          CONFIG.limit,
          (c) => waiting.set((child = c), input.sessionID),
        )
        const v = read(out)
        if (v.args !== undefined) {
          for (const k of Object.keys(args)) delete args[k]
          Object.assign(args, v.args)
        }
      } finally {
        waiting.delete(child)
      }
    },
    "tool.execute.after": async (input, output) => {
      try {
        const parts = output && Array.isArray(output.content) ? output.content.map((p) => (p && p.text) || "").join("\n") : undefined
        const text = output && output.output !== undefined ? output.output : parts
        tell("tool.execute.after", input.sessionID, {
          tool: input.tool,
          callID: input.callID,
          args: input.args,
          output: typeof text === "string" ? text.slice(0, MAX_OUTPUT) : undefined,
          title: output ? output.title : undefined,
        })
      } catch {
        // the call is over; not to be told of it must not fail it
      }
    },
    "chat.message": async (input, output) => {
      try {
        const parts = output && Array.isArray(output.parts) ? output.parts : []
        const text = parts.filter((p) => p && p.type === "text" && !p.synthetic && typeof p.text === "string").map((p) => p.text)
        tell("chat.message", input.sessionID, { text: text.join("\n").slice(0, MAX_OUTPUT) })
      } catch {
        // an error here would refuse the prompt
      }
    },
    event: async ({ event }) => {
      try {
        const p = event.properties || {}
        const info = p.info || {}
        const sessionID = p.sessionID || info.id
        switch (event.type) {
          case "session.created":
          case "session.updated":
            if (info.id && info.parentID) parents.set(info.id, info.parentID)
            if (event.type === "session.created") tell(event.type, sessionID, {})
            return
          case "session.idle":
          case "session.error":
          case "session.deleted":
            if (!sessionID) return
            drop(sessionID, event.type !== "session.idle")
            tell(event.type, sessionID, failure(p.error))
        }
      } catch {
        // an event that cannot be read is nobody's call
      }
    },
  }
}
