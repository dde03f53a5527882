// One question, asked over as many connections as it takes.
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { Lost, NoConsole, Refusal, Silent, isObject, locate, request, unreadable } from "./console.js"

const MOST_SECONDS = 86_400

// Milliseconds. Tests make them small.
export const limits = {
  silence: 45_000, // without a byte; the console holds a poll for 25 s
  grace: 800, // beyond the person's time, for the console to say that it ran out
  away: 30_000, // for a console that restarts
  leave: 1_000, // to take a question back
  retry: 50, // the first wait before asking again
  retryMost: 500,
}

// The person's time and what they may make of it by giving more, in seconds.
export function times({ timeout = 600, atMost = 3600 } = {}) {
  for (const seconds of [timeout, atMost]) {
    if (typeof seconds !== "number" || !(seconds > 0 && seconds <= MOST_SECONDS)) throw new Refusal(`a time of ${seconds} seconds is not between 0 and ${MOST_SECONDS}`)
  }
  return { timeout, atMost: Math.max(timeout, atMost) }
}

// Asks until there is a final answer, and returns its JSON. `poll` names where an answer is waited
// for. `chosen` is the request's id where the caller chose one: then the post only opens the request.
// Whatever it throws means no.
export async function converse(options, { target, body, poll, chosen }) {
  const { signal } = options
  const { timeout, atMost } = times(options)
  const begun = Date.now()
  let until = begun + timeout * 1000
  const at = await locate(options)
  const correlation = randomUUID()
  let id = chosen
  let lost // since when there is no answer
  let reached = false
  let wait = limits.retry

  const left = end => Math.max(0, Math.round(end - Date.now()))
  const send = async (target, body, method) => {
    const end = until + limits.grace
    const late = Date.now() + limits.silence > end
    const headers = { "Aoctl-Timeout-Ms": left(until), "Aoctl-At-Most-Ms": left(begun + atMost * 1000) }
    try {
      const answer = await request(at, { method, target, body, correlation, headers, signal, silence: Math.min(limits.silence, left(end)) })
      reached = true
      if (method === "GET") [lost, wait] = [undefined, limits.retry] // a post that is taken is no answer yet
      return answer
    } catch (error) {
      // A console that came back may not know the request; asked again, it will.
      if (method === "GET" && error.code === "not_found") throw new Lost(error.message)
      throw late && error instanceof Silent ? overdue(begun, until) : error
    }
  }
  const waits = ({ status, json }, opened) => {
    if (status !== 202 && !opened) return false
    if (typeof json.request_id !== "string" || !/^[\w.:-]{1,128}$/.test(json.request_id)) throw unreadable("it says wait but names no request")
    if (chosen !== undefined && json.request_id !== chosen) throw unreadable("it is for another request")
    id = json.request_id
    if (Number.isInteger(json.wait_ms) && json.wait_ms > 0) until = Math.max(until, Math.min(Date.now() + json.wait_ms, begun + atMost * 1000))
    return true
  }

  try {
    for (;;) {
      signal?.throwIfAborted()
      try {
        let answer = await send(target, body, "POST")
        for (let opened = chosen !== undefined; waits(answer, opened); opened = false) {
          if (!opened) await sleep(limits.retry, undefined, { signal }) // a console that always says wait must not keep us busy
          if (Date.now() >= until + limits.grace) throw overdue(begun, until)
          answer = await send(poll(id), undefined, "GET")
        }
        return answer.json
      } catch (error) {
        reached ||= error instanceof Lost
        if (!(error instanceof Lost || (error instanceof NoConsole && reached)) || signal?.aborted) throw error
        lost ??= Date.now()
        if (Date.now() >= Math.min(lost + limits.away, until + limits.grace)) throw new Refusal(wentAway(error))
        await sleep(wait, undefined, { signal })
        wait = Math.min(2 * wait, limits.retryMost)
      }
    }
  } catch (error) {
    if (!signal?.aborted) throw error
    await withdraw(at, id, correlation)
    throw new Refusal("the question was taken back before there was an answer")
  }
}

const overdue = (begun, until) => new Refusal(`time ran out: nobody answered within ${Math.round((until - begun) / 1000)} s; ask again when somebody is at the console`)

const wentAway = error => error instanceof NoConsole
  ? 'the console ended while this call waited, and did not come back in time; start it again with "aoctl"'
  : "the console closes the connection again and again without an answer; look into its log, or restart it"

// Closes the card. A failure costs a person a look and nothing else: nobody hears what they answer.
async function withdraw(at, id, correlation) {
  if (id === undefined) return // a hook's: the console sees that the connection closed
  const signal = AbortSignal.timeout(limits.leave)
  const body = JSON.stringify({ reason: "the program that asked took its question back" })
  while (!signal.aborted) {
    try {
      await request(at, { target: `/approval-requests/${id}/cancel`, body, correlation, signal, silence: limits.leave })
      return
    } catch (error) {
      // The question may be on its way still: two connections keep no order.
      if (!(error instanceof Lost) && error.code !== "not_found") return
      await sleep(limits.retry)
    }
  }
}

const observing = "the console only observes, so nobody can allow or answer anything there; to have calls held again, press O on this session in the console"

// Reads the final answer to request `id`. Only an allow that says so twice is one.
export function decisionOf(json, id, input) {
  const { request_id, status, decision, reason = "", updated_input, by } = json
  if (request_id !== id) throw unreadable("it is for another request")
  const allowed = decision === "allow" && status === "allowed"
  // The console says allow because nothing is held; nobody and no rule has allowed this call.
  if (decision === "allow" && status === "answered" && by?.kind === "observe") throw new Refusal(observing)
  if (!allowed && (decision !== "deny" || status === "allowed")) throw unreadable(`it says ${JSON.stringify(decision)} and ${JSON.stringify(status)}`)
  if (updated_input != null && !isObject(updated_input)) throw unreadable("its updated_input is no object")
  return { allowed, input: updated_input ?? input, changed: updated_input != null, reason: String(reason), status, requestId: id, by: isObject(by) ? by.kind : undefined }
}
