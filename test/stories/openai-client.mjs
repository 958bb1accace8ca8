// The official client as a user of it would write it: asks the server at argv[2] and prints what came back as JSON.
import OpenAI from "openai";

const [, , baseURL, apiKey] = process.argv;
const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });

const [model] = (await client.models.list()).data;
const messages = [{ role: "user", content: "the cat sat" }];
const settings = { model: model.id, messages, max_tokens: 24, temperature: 0.8, seed: 5 };

const whole = await client.chat.completions.create({ ...settings, logprobs: true, top_logprobs: 2 });
const pieces = [];
let usage;
const stream = await client.chat.completions.create({
  ...settings,
  stream: true,
  stream_options: { include_usage: true },
});
for await (const chunk of stream) {
  pieces.push(chunk.choices[0]?.delta.content ?? "");
  usage = chunk.usage ?? usage;
}
const collected = await client.chat.completions.stream(settings).finalChatCompletion();
const completion = await client.completions.create({
  model: model.id,
  prompt: [1, 2, 3],
  max_tokens: 4,
  n: 2,
});

const refused = [];
for (const change of [{ temperature: -1 }, { model: "another" }]) {
  try {
    await client.chat.completions.create({ ...settings, ...change });
  } catch (error) {
    refused.push({
      kind: error.constructor.name,
      status: error.status,
      code: error.code,
      param: error.param,
    });
  }
}
const stranger = new OpenAI({ baseURL, apiKey: "somebody-else", maxRetries: 0 });
const unknown = await stranger.models.list().catch((error) => error.constructor.name);

process.stdout.write(
  JSON.stringify({
    model: model.id,
    whole,
    streamed: pieces.join(""),
    usage,
    collected,
    completion,
    refused,
    unknown,
  }),
);
