// What clients/js declares must fit what the SDK declares.
import type { Options } from "@anthropic-ai/claude-agent-sdk"
import { canUseTool, endSession, gate, hooks, requestApproval, Refusal } from "aoctl"

export const whole: Options = { settingSources: [], ...gate({ agent: "nightly", timeout: 60 }) }
export const can: Options["canUseTool"] = canUseTool({ url: "http://localhost:8765", token: "aoctl_ask_x" })
export const all: Options["hooks"] = hooks({ socket: "/run/x" })
export const ended: Promise<void> = endSession("s")
export const why = (refusal: Refusal): string | undefined => refusal.code
export const input: Promise<Record<string, unknown> | undefined> = requestApproval({ tool: "Bash", input: { command: "ls" } }, { session: "s" }).then(d => d.allowed ? d.input : undefined)
// @ts-expect-error: a session must be given
void requestApproval({ tool: "Bash", input: {} }, {})
