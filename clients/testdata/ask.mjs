// Asks about calls, all at once, and prints their answers as a list. Its argument is {limits?,
// questions: [{call, options?, hook?, ends?}]}; an interrupt takes the questions back.
import { canUseTool, endSession, hooks } from "../js/index.js"
import { limits } from "../js/conversation.js"

const { limits: small = {}, questions } = JSON.parse(process.argv[2])
for (const [name, seconds] of Object.entries(small)) limits[name] = seconds * 1000
const escape = new AbortController()
process.once("SIGINT", () => escape.abort())
const answers = questions.map(({ call, options = {}, hook, ends }) => {
  const context = { signal: escape.signal, toolUseID: "toolu_1" }
  if (hook) return hooks(options)[hook][0].hooks[0]({ hook_event_name: hook, ...call }, context.toolUseID, context)
  const answer = canUseTool({ agent: "tester", ...options })(call.tool, call.input, context)
  call.input.changed = "after it was asked"
  return ends ? answer.then(async told => (await endSession(options.session), told)) : answer
})
console.log(JSON.stringify(await Promise.all(answers)))
