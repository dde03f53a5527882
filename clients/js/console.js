// Where the console listens, and one request to it. Everything is refused that comes from somebody
// who may not be the console, and everything that two readers could take in two ways.
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { lstat, readFile } from "node:fs/promises"
import http from "node:http"
import path from "node:path"

const PROTOCOL = "1"
const MOST_BYTES = 8 << 20 // of an answer
const LONGEST_PATH = 103 // bytes; what fits the address of a socket on every system
const SINGLE = ["content-length", "content-type", "aoctl-protocol", "aoctl-correlation", "aoctl-request-id", "aoctl-proof"]

// Why there is no permission, in words for a person and a model. `code` is the console's own word,
// where it has one.
export class Refusal extends Error {
  constructor(message, code) {
    super(message)
    this.name = "Refusal"
    this.code = code
  }
}

// Nobody listens there.
export class NoConsole extends Refusal {}

// The console has the connection and says nothing.
export class Silent extends Refusal {}

// The connection ended without an answer: the same question may be asked again.
export class Lost extends Error {}

export const unreadable = why => new Refusal(`the console's answer cannot be used: ${why}; restart the console, and use it and this package of one release`)

// Finds the console: at the URL or the socket that the program names, else where AOCTL_URL says,
// else at the usual socket.
export async function locate({ socket, url, token }) {
  if (socket !== undefined && url !== undefined) throw new Refusal("both a socket and a url are given; give one of them")
  if (socket === undefined) url ??= process.env.AOCTL_URL || undefined
  if (url !== undefined) return remote(String(url), token ?? process.env.AOCTL_TOKEN ?? "")
  const file = path.resolve(socket ?? usualSocket())
  return { name: file, to: { socketPath: file }, host: "localhost", key: "", socket: file }
}

function usualSocket() {
  const { AOCTL_SOCKET, AOCTL_HOME, XDG_RUNTIME_DIR = "", XDG_STATE_HOME = "", HOME = "" } = process.env
  if (AOCTL_SOCKET) return AOCTL_SOCKET
  if (AOCTL_HOME) return path.join(AOCTL_HOME, "broker.sock")
  if (path.isAbsolute(XDG_RUNTIME_DIR)) return path.join(XDG_RUNTIME_DIR, "aoctl", "broker.sock")
  if (path.isAbsolute(XDG_STATE_HOME)) return path.join(XDG_STATE_HOME, "aoctl", "broker.sock")
  if (path.isAbsolute(HOME)) return path.join(HOME, ".local", "state", "aoctl", "broker.sock")
  throw new Refusal("cannot tell where the console's socket is; set HOME, AOCTL_HOME or AOCTL_SOCKET")
}

async function remote(url, token) {
  const at = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\]|host\.docker\.internal|host\.containers\.internal):([1-9][0-9]{0,4})\/?$/.exec(url)
  if (!at || Number(at[2]) > 65535) {
    throw new Refusal(`${JSON.stringify(url)} is not an address such as http://localhost:8765; forward the port of a console that is farther away`)
  }
  if (token.startsWith("aoctl_op_")) throw new Refusal("the token is an operator's, with which the agent could allow its own calls; mint one for asking in the console: r, t, then N")
  if (!/^aoctl_ask_[\w.-]+$/.test(token)) throw new Refusal("there is no token for asking; mint one in the console (r, t, then N) and give it as token or AOCTL_TOKEN")
  const key = createHash("sha256").update(token).digest("hex")
  return { name: `http://${at[1]}:${at[2]}`, to: { host: await address(at[1]), port: Number(at[2]) }, host: `localhost:${at[2]}`, key }
}

// No name server is asked: what it says is anybody's word.
async function address(name) {
  if (name === "localhost" || name === "127.0.0.1") return "127.0.0.1"
  if (name === "[::1]") return "::1"
  for (const line of (await readFile("/etc/hosts", "utf8").catch(() => "")).split("\n")) {
    const [ip, ...names] = line.replace(/#.*/, "").trim().split(/\s+/)
    if (names.includes(name) && /^[0-9.]+$/.test(ip)) return ip
  }
  throw new Refusal(`this machine does not know ${name}; start the container with --add-host=${name}:host-gateway`)
}

// Makes sure that nobody but this user can have put a socket there. Which of the user's processes
// listens is not known: Node cannot ask the kernel.
async function checkSocket(file) {
  if (Buffer.byteLength(file) > LONGEST_PATH) throw new Refusal(`the socket's path is longer than ${LONGEST_PATH} bytes: ${file}`)
  const look = async name => {
    try {
      return await lstat(name)
    } catch (error) {
      if (error.code === "ENOENT") throw new NoConsole(`no console is listening: ${name} does not exist; start one with "aoctl"`)
      throw new Refusal(`${name} cannot be looked at (${error.code})`)
    }
  }
  const me = process.geteuid?.()
  const folder = path.dirname(file)
  const dir = await look(folder)
  if (!dir.isDirectory()) throw new Refusal(`the socket's folder ${folder} is a link or no folder; move it away and start aoctl`)
  if (dir.uid !== me) throw new Refusal(`the socket's folder ${folder} belongs to user id ${dir.uid}; name a socket in a folder of yours`)
  if (dir.mode & 0o022) throw new Refusal(`others can write to the socket's folder ${folder}; chmod 700 it`)
  const end = await look(file)
  if (!end.isSocket()) throw new Refusal(`${file} is no socket; move it away and start aoctl`)
  if (end.uid !== me) throw new Refusal(`the socket ${file} belongs to user id ${end.uid}; move it away and start aoctl`)
  const holder = (await readFile(`${file}.lock`, "utf8").catch(() => "")).trim()
  if (!/^[1-9][0-9]*$/.test(holder)) throw new Refusal(`what serves ${file} is not aoctl: no lock file beside it names a process; end it and start aoctl`)
}

// One request over a connection of its own, and the whole answer: { status, json, code }. It throws
// a Lost, or a Refusal. `silence` is how long not a byte may come, in milliseconds.
export async function request(at, { method = "POST", target, body, correlation, headers, silence, signal }) {
  if (at.socket) await checkSocket(at.socket)
  signal?.throwIfAborted()
  const sent = {
    Host: at.host, "Aoctl-Protocol": PROTOCOL, "Aoctl-Correlation": correlation,
    "Aoctl-Pid": process.pid, "Aoctl-Ppid": process.ppid, ...headers,
  }
  if (body !== undefined) Object.assign(sent, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) })
  let challenge
  if (at.key) {
    const sum = sumOf(body ?? "")
    challenge = [randomBytes(16).toString("hex"), method, target]
    sent.Authorization = `Aoctl nonce="${challenge[0]}", body="${sum}", mac="${macOf(at.key, "ask", ...challenge, sum)}"`
  }
  const got = await exchange(at, { method, target, body, headers: sent, silence, signal })
  if (at.key) checkProof(at, challenge, got)
  return read(got, correlation)
}

function exchange(at, { method, target, body, headers, silence, signal }) {
  return new Promise((resolve, reject) => {
    const request = http.request({ ...at.to, method, path: target, headers, signal, agent: false, maxHeaderSize: 32 << 10 })
    let answered = false
    const end = (settle, value) => {
      clearTimeout(mute)
      settle(value)
      request.destroy()
    }
    const fail = error => end(reject, explain(error, at, signal))
    const mute = setTimeout(() => fail(new Silent("the console accepted the connection but does not answer; look at the console, or restart it")), silence)
    request.on("error", fail).on("close", () => answered || fail(new Lost("the connection was closed")))
    request.on("response", response => {
      answered = true
      const bad = malformed(response)
      if (bad) return fail(unreadable(bad))
      const parts = []
      let size = 0
      response.on("data", part => {
        parts.push(part)
        if ((size += part.length) > MOST_BYTES) fail(unreadable("it is too large"))
      })
      response.on("error", () => {}) // then it is not complete
      response.on("close", () => {
        if (!response.complete) return fail(unreadable("it is cut off"))
        end(resolve, { status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) })
      })
    })
    request.end(body)
  })
}

function malformed(response) {
  const names = response.rawHeaders.filter((_, i) => i % 2 === 0).map(name => name.toLowerCase())
  const twice = SINGLE.find(name => names.indexOf(name) !== names.lastIndexOf(name))
  if (twice) return `it has two ${twice} headers`
  if (names.includes("transfer-encoding") || !/^[0-9]+$/.test(response.headers["content-length"] ?? "")) return "it does not say how long it is"
}

function explain(error, at, signal) {
  if (signal?.aborted) return signal.reason instanceof Error ? signal.reason : new Refusal("the wait was ended")
  if (error instanceof Refusal || error instanceof Lost) return error
  if (error.code === "ECONNREFUSED" || error.code === "ENOENT") return new NoConsole(`no console is listening at ${at.name}; start one with "aoctl"`)
  if (error.code === "EACCES") return new Refusal(`no permission to connect to ${at.name}`)
  if (error.code?.startsWith("HPE_")) return unreadable("it is not HTTP")
  return new Lost(error.message)
}

const sumOf = body => createHash("sha256").update(body).digest("hex")
const macOf = (key, ...lines) => createHmac("sha256", key).update(lines.join("\n")).digest("hex")

// Nothing counts before this, not even why the other end refuses: over TCP anybody may listen.
function checkProof(at, challenge, { status, headers, body }) {
  const lines = ["aoctl-protocol", "aoctl-correlation", "aoctl-request-id", "content-type"].map(name => headers[name] ?? "")
  const want = Buffer.from(macOf(at.key, "answer", ...challenge, String(status), ...lines, sumOf(body)))
  const proof = Buffer.from(headers["aoctl-proof"] ?? "")
  if (proof.length === want.length && timingSafeEqual(proof, want)) return
  const why = proof.length ? "the proof in its answer does not fit" : status === 401 ? "it turns the token down" : "its answer carries no proof"
  throw new Refusal(`whoever listens at ${at.name} did not prove to be your console: ${why} (status ${status}); see what listens there, or mint a new token in the console: r, t, then N`)
}

// The answer as an object, once it is known to be the console's, to this call, and whole.
function read({ status, headers, body }, correlation) {
  const protocol = headers["aoctl-protocol"]
  if (protocol === undefined) throw unreadable(`something other than aoctl wrote it (status ${status})`)
  if (protocol !== PROTOCOL) throw unreadable(`it is of protocol ${JSON.stringify(protocol)}, and this package speaks ${PROTOCOL}`)
  const echoed = headers["aoctl-correlation"]
  if (echoed !== correlation && !(echoed === undefined && status >= 400)) throw unreadable("it is for another call")
  const json = parse(headers["content-type"] ?? "", body)
  if (status === 200 || status === 202) return { status, json }
  const { code, message, hint } = (status >= 400 && json.error) || {}
  if (typeof message !== "string" || !message) throw unreadable(`it has status ${status} and no explanation`)
  if (code === "shutting_down") throw new Lost(message)
  throw new Refusal(hint ? `${message}; ${hint}` : message, code)
}

function parse(type, body) {
  if (!/^application\/json *(;|$)/i.test(type)) throw unreadable("it is not JSON")
  let json
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body)
    json = JSON.parse(text)
    if (!numbersHold(text)) throw unreadable("it has a number that JavaScript cannot hold")
  } catch (error) {
    throw error instanceof Refusal ? error : unreadable("it is broken JSON")
  }
  if (!isObject(json)) throw unreadable("it is not a JSON object")
  return json
}

export const isObject = value => typeof value === "object" && value !== null && !Array.isArray(value)

// Whether JSON.parse kept every number: else another input would run than the person read.
function numbersHold(text) {
  const numbers = text.replace(/"(?:[^"\\]|\\.)*"/g, "").match(/-?\d[\d.eE+-]*/g) ?? []
  return numbers.every(number => {
    const digits = number.replace(/[eE].*/, "").replace(/[-.]/g, "").replace(/^0+/, "")
    return digits.length <= 15 && Number.isFinite(Number(number)) && (Number(number) !== 0 || digits === "")
  })
}
