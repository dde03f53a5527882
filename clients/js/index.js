// What a program built on the Claude Agent SDK gives to it, so that the operator at an aoctl console
// decides. Whatever goes wrong is a no, with one sentence that says why.
import { randomUUID } from "node:crypto"
import { Refusal, isObject } from "./console.js"
import { converse, decisionOf, times } from "./conversation.js"

export { Refusal }

const GRACE_SECONDS = 60 // beyond our own time: Claude Code does not wait longer for a hook
const WATCH_SECONDS = 10

const sentence = error => `aoctl refused this call: ${error?.message ?? error}`.replace(/[\p{C}\s]+/gu, " ").replace(/[. ]*$/, ".")

/** Puts one call before the operator. See index.d.ts. */
export async function requestApproval(call, options = {}) {
  const { session, agent = "agent-sdk", cwd = process.cwd() } = options
  if (!session) throw new Refusal("there is no session; give it an id")
  if (!isObject(call.input)) throw new Refusal("the input is no object")
  const { timeout, atMost } = times(options)
  // What was asked is what runs, whatever becomes of the caller's object meanwhile.
  const input = JSON.stringify(call.input)
  const id = randomUUID()
  const body = JSON.stringify({
    request_id: id, session_id: session, agent, cwd, tool_name: call.tool, tool_use_id: call.toolUseID, timeout, at_most: atMost, tool_input: JSON.parse(input),
  })
  const json = await converse(options, { target: "/create-approval-request", body, chosen: id, poll: id => `/approval-requests/${id}/decision?timeout=25` })
  return decisionOf(json, id, JSON.parse(input))
}

/** Tells the console that a session is over. See index.d.ts. */
export async function endSession(session, options = {}) {
  const body = JSON.stringify({ event_type: "session_stop", session_id: session })
  await converse({ ...options, timeout: WATCH_SECONDS, atMost: WATCH_SECONDS }, { target: "/events", body })
}

/** The SDK's canUseTool. See index.d.ts. */
export function canUseTool(options = {}) {
  return askAs(options, { session: options.session ?? randomUUID() })
}

// `who` has the session, which may be known later only.
function askAs(options, who) {
  return async (tool, input, { signal = options.signal, toolUseID } = {}) => {
    try {
      const d = await requestApproval({ tool, input, toolUseID }, { ...options, ...who, signal })
      if (!d.allowed) return { behavior: "deny", message: d.reason || "The operator refused this call in aoctl.", ...(d.by === "stop" && { interrupt: true }) }
      if (tool === "AskUserQuestion" && !isObject(d.input.answers)) {
        return { behavior: "deny", message: "The questions were let through in aoctl without an answer. Go on without one." }
      }
      return { behavior: "allow", updatedInput: d.input }
    } catch (error) {
      return { behavior: "deny", message: sentence(error) }
    }
  }
}

// What Claude Code takes for a no, by event.
const no = {
  PreToolUse: reason => ({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: reason } }),
  UserPromptExpansion: reason => ({ decision: "block", reason }),
  ConfigChange: reason => ({ decision: "block", reason }),
}
const watched = ["PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart", "SessionEnd", "Stop", "StopFailure", "SubagentStart", "SubagentStop", "Notification"]

/** The SDK's hooks, which are asked about every call. See index.d.ts. */
export function hooks(options = {}) {
  return hooksOf(options, {})
}

// `who` hears of the session.
function hooksOf(options, who) {
  const own = times(options)
  const ask = (input, options) => {
    who.session = input.session_id
    return converse(options, { target: "/hooks/claude", body: JSON.stringify(input), poll: id => `/hooks/claude/${id}` })
  }
  const gate = event => ({
    hooks: [async (input, _id, { signal } = {}) => {
      try {
        return await ask(input, { ...options, signal: signal ?? options.signal })
      } catch (error) {
        return no[event](sentence(error))
      }
    }],
    timeout: own.atMost + GRACE_SECONDS,
    onFailure: "block",
  })
  const watch = () => ({
    hooks: [async (input, _id, { signal } = {}) => {
      try {
        return await ask(input, { ...options, signal, timeout: WATCH_SECONDS / 2, atMost: WATCH_SECONDS / 2 })
      } catch {
        return {} // it is only told
      }
    }],
    timeout: WATCH_SECONDS,
  })
  const all = {}
  for (const event of Object.keys(no)) all[event] = [gate(event)]
  for (const event of watched) all[event] = [watch()]
  return all
}

/** Both, for the SDK's options. See index.d.ts. */
export function gate(options = {}) {
  const who = { session: options.session ?? randomUUID() }
  return { hooks: hooksOf(options, who), canUseTool: askAs(options, who) }
}
