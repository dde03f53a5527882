/** Where the console is, and how long it may take. */
export interface ConsoleOptions {
  /** The console's socket. Without it and `url`: AOCTL_URL, AOCTL_SOCKET, or the usual place. */
  socket?: string
  /** A console over TCP, such as http://localhost:8765, in the place of `socket`. It takes a token. */
  url?: string
  /** A token for asking (`aoctl_ask_…`), for `url`. Without it AOCTL_TOKEN. It is never sent. */
  token?: string
  /** How long the operator has to answer, in seconds: 600 without it, at most 86400. */
  timeout?: number
  /** How long a call may wait when the operator gives it more time, in seconds: 3600 without it. */
  atMost?: number
  /** Takes waiting questions back. The SDK's own signal counts where it gives one. */
  signal?: AbortSignal
}

/** Who asks, as the console shows it. */
export interface AskOptions extends ConsoleOptions {
  /** Id of the session that the calls belong to. canUseTool makes a new one without it. */
  session?: string
  /** The program's name; "agent-sdk" without it. */
  agent?: string
  /** The folder in which calls run; the process's own without it. */
  cwd?: string
}

/** What the SDK's PermissionResult takes. */
export type Permission =
  | { behavior: "allow"; updatedInput: Record<string, unknown> }
  | { behavior: "deny"; message: string; interrupt?: boolean }

/**
 * The whole gate, to be spread into the SDK's options: `query({ prompt, options: { ...gate() } })`.
 * The hooks ask the console about every call; with `canUseTool` beside them the model can also ask
 * its user, and nothing waits for an answer elsewhere. Make one for each query: its calls are all of
 * the session that the hooks tell of.
 */
export function gate(options?: AskOptions): { hooks: Record<Event, Matcher[]>; canUseTool: CanUseTool }

/**
 * The SDK's `canUseTool`, with the operator behind it. It never throws: whatever goes wrong is a
 * deny whose message says why. The SDK asks it only about calls that neither a hook nor its
 * settings, rules or mode decided; `hooks` is asked about every call.
 */
export function canUseTool(options?: AskOptions): CanUseTool

/** A function of the type that the SDK has for it. */
export type CanUseTool = (
  tool: string,
  input: Record<string, unknown>,
  context: { signal: AbortSignal; toolUseID: string },
) => Promise<Permission>

/** One matcher of the SDK's `hooks`. */
export interface Matcher {
  hooks: ((input: any, toolUseID: string | undefined, context: { signal: AbortSignal }) => Promise<any>)[]
  timeout: number
  onFailure?: "block"
}

/** The events for which `hooks` has a hook. */
export type Event =
  | "PreToolUse" | "UserPromptExpansion" | "ConfigChange"
  | "PostToolUse" | "PostToolUseFailure" | "UserPromptSubmit" | "SessionStart" | "SessionEnd"
  | "Stop" | "StopFailure" | "SubagentStart" | "SubagentStop" | "Notification"

/**
 * The SDK's `hooks`: what `aoctl install claude` installs, within the program. The console is asked
 * before every call, and told what came of it. A call is refused when the console is away.
 */
export function hooks(options?: ConsoleOptions): Record<Event, Matcher[]>

/** One call. */
export interface Call {
  /** The tool, such as "Bash". */
  tool: string
  /** The whole input. */
  input: Record<string, unknown>
  /** The program's own id of this call. */
  toolUseID?: string
}

/** The operator's answer. */
export interface Decision {
  /** The call may run, once, with `input`. */
  allowed: boolean
  /** The input to run: the operator's, or a copy of what was asked. */
  input: Record<string, unknown>
  /** The operator changed the input. */
  changed: boolean
  /** Why not, or a word that came with the permission. */
  reason: string
  status: "allowed" | "denied" | "expired" | "cancelled" | "answered"
  requestId: string
  /** Who decided: "operator", "rule", "stop" … */
  by?: string
}

/** Why there is no answer. The call must not run. */
export class Refusal extends Error {
  /** The console's own word for it, where it has one: docs/api.md. */
  code?: string
}

/**
 * Puts one call before the operator, for programs without the SDK. The call may run only when the
 * promise is fulfilled and `allowed` is true. It is rejected with a `Refusal` when there is no answer.
 */
export function requestApproval(call: Call, options: AskOptions & { session: string }): Promise<Decision>

/** Tells the console that a session is over, one that no hook tells of. */
export function endSession(session: string, options?: ConsoleOptions): Promise<void>
