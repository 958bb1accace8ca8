// Uses a language model as a text library: one answer, a streamed answer, and the same over a server.
//   npx tsx examples/text/talk.ts [MODEL_FOLDER | http://SERVER] [QUESTION]
import { ChatEndpoint } from "@palimpsest/engines";
import { loadBackend } from "@palimpsest/jit";
import { ChatTemplate, createTextModel, loadModel } from "@palimpsest/model";

const builtin = new URL("../../recipes/bases/quickstart", import.meta.url).pathname;
const [place = builtin, question = "what does tom like?"] = process.argv.slice(2);
const print = (text: string) => process.stdout.write(text);

if (place.startsWith("http")) {
  const endpoint = new ChatEndpoint({ url: place });
  for await (const piece of endpoint.streamText({ messages: [{ role: "user", content: question }] })) {
    print(piece);
  }
  print("\n");
  await endpoint.close();
} else {
  const loaded = await loadModel(place);
  if (loaded.tokenizer === undefined) throw new Error(`${place} has no tokenizer.json`);
  const model = createTextModel(loaded, { backend: await loadBackend(), maxTokens: 64 });
  // A model that was never trained on chats has no chat template, so it continues the text instead.
  const asked = ChatTemplate.has(loaded.tokenizer)
    ? { messages: [{ role: "user", content: question }] }
    : { prompt: `question: ${question}\nmemory: tom likes figs.\nanswer:`, stop: ["}"] };

  const generation = model.streamText({ ...asked, temperature: 0, seed: 1 });
  for await (const piece of generation) print(piece);
  const { stopReason, usage, rolloutLogprobs } = await generation.result;
  print(`\n${usage.promptTokens} tokens read, ${usage.sampledTokens} sampled, ended by ${stopReason}\n`);
  print(`first log-prob ${rolloutLogprobs[0]?.toFixed(4)}\n`);
  await model.close();
}
