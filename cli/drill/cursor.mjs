// Runs one prompt with Cursor's agent: node engine.mjs SDK-FOLDER PROMPT
// The servers are those of CURSOR_BACKEND_URL; the hooks are those of $HOME and of the
// working directory. Prints what the agent streams and how it ended.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, prompt] = process.argv.slice(2);
const { Agent, Cursor, JsonlLocalAgentStore } = createRequire(import.meta.url)(folder);

Cursor.configure({ local: { store: new JsonlLocalAgentStore(join(process.env.HOME, 'runs')) } });
const agent = await Agent.create({
  apiKey: 'key_test',
  model: { id: 'fake' },
  local: { cwd: process.cwd(), settingSources: ['user', 'project'] },
});
const run = await agent.send(prompt);
for await (const message of run.stream()) console.log(JSON.stringify(message));
const { status } = await run.wait();
console.log(status);
process.exit(status === 'finished' ? 0 : 1);
