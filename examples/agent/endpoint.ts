// Runs a memory agent over any OpenAI-compatible server.
//   npx tsx examples/agent/endpoint.ts http://127.0.0.1:8000 notes.txt "Who hid the treasure?"
import { readFile } from "node:fs/promises";
import { memAgent } from "@palimpsest/agents";
import { openEndpoint } from "@palimpsest/engines";

const [url = "http://127.0.0.1:8000", file = "README.md", question = "What is this?"] = process.argv.slice(2);
const print = (text: string) => process.stdout.write(`${text}\n`);

const model = await openEndpoint({ url });
const result = await memAgent(model).run(
  { question, document: await readFile(file, "utf8") },
  { temperature: 0, onProgress: ({ memoryStep }) => memoryStep && print(`memory: ${memoryStep.memory}`) },
);
print(`answer: ${result.answer}`);
await model.close();
