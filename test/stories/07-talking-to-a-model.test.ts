/** Tests the commands that talk to a model: one of the repository, and one behind an OpenAI-compatible server. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = `${root}/packages/apps/cli/bin/palimpsest.js`;

/** Runs the built command with a text as its standard input. */
const palimpsest = (args: readonly string[], input = "", environment: Record<string, string> = {}) =>
  run([program, ...args], input, environment);

async function run(args: readonly string[], input: string, environment: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin?.end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stderr as NodeJS.ReadableStream),
    once(child, "close"),
  ]);
  return { stdout, stderr, code: code as number };
}

interface Asked {
  readonly authorization: string | undefined;
  readonly body: { readonly model: string; readonly messages: readonly { readonly content: string }[] };
}

let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

/** Starts a server that answers with the number of messages that it received. */
async function startServer(): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  server = createServer(async (request, response) => {
    if (request.url === "/v1/models") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ data: [{ id: "the-only-one" }] }));
      return;
    }
    const body = JSON.parse(await text(request)) as Asked["body"];
    asked.push({ authorization: request.headers.authorization, body });
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const content of ["I was sent ", `${body.messages.length} messages.`]) {
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
    }
    const last = { choices: [{ delta: {}, finish_reason: "stop" }], usage: { completion_tokens: 6 } };
    response.end(`data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

test("`model generate` gives the same texts for the same seed, with token ids and log-probs as JSON", async () => {
  const args = ["model", "generate", "recipes/bases/quickstart", "--prompt", "question: what does tom like?"];
  const more = [
    "--max-tokens",
    "6",
    "--seed",
    "5",
    "--n",
    "2",
    "--top-k",
    "20",
    "--temperature",
    "1",
    "--json",
  ];
  const [first, second] = await Promise.all([palimpsest([...args, ...more]), palimpsest([...args, ...more])]);
  expect(first.code).toBe(0);
  expect(first.stdout).toBe(second.stdout);
  const { texts } = JSON.parse(first.stdout) as {
    texts: { text: string; seed: number; tokenIds: number[]; rolloutLogprobs: number[] }[];
  };
  expect(texts.map(({ seed }) => seed)).toEqual([5, 6]);
  for (const { tokenIds, rolloutLogprobs } of texts) {
    expect(tokenIds.length).toBeGreaterThan(0);
    expect(rolloutLogprobs).toHaveLength(tokenIds.length);
  }
});

test("`model generate` reads the text from standard input and ends at a stop text", async () => {
  const input = "question: what does tom like?\nmemory: tom likes figs.\nanswer:";
  const args = [
    "model",
    "generate",
    "recipes/bases/quickstart",
    "--temperature",
    "0",
    "--stop",
    "}",
    "--stats",
  ];
  const { stdout, stderr, code } = await palimpsest(args, input);
  expect(code).toBe(0);
  expect(stdout).toBe(" \\boxed{figs\n");
  expect(stderr).toMatch(/first token after .* tokens\/s/);
});

test("`model chat` keeps the conversation with a server, line by line from standard input", async () => {
  const { url, asked } = await startServer();
  const args = ["model", "chat", "--endpoint", url, "--model", "m", "--system", "Be terse."];
  const input = "one\ntwo\n/reset\nthree\n/exit\nnever said\n";
  const { stdout, code } = await palimpsest(args, input, { OPENAI_API_KEY: "sk-story" });
  expect(code).toBe(0);
  expect(stdout).toBe(
    "I was sent 2 messages.\nI was sent 4 messages.\n(conversation cleared)\nI was sent 2 messages.\n",
  );
  expect(asked.map(({ body }) => body.messages.at(-1)?.content)).toEqual(["one", "two", "three"]);
  expect(asked[0]).toMatchObject({ authorization: "Bearer sk-story", body: { model: "m" } });
});

test("a model without a chat template, and a server that is not there, are told in one line", async () => {
  const local = await palimpsest(["model", "chat", "recipes/bases/quickstart", "--once", "hi"]);
  expect(local.code).toBe(1);
  expect(local.stderr).toMatch(/^error: messages: the model has no chat template; give `prompt`/);
  const { url } = await startServer();
  server?.close();
  server = undefined;
  const remote = await palimpsest([
    "model",
    "chat",
    "--endpoint",
    url.replace("/v1", "/nowhere"),
    "--model",
    "m",
    "--once",
    "hi",
  ]);
  expect(remote.code).toBe(4);
  expect(remote.stderr).toMatch(/^error: \S[^\n]+\n$/);
});

test("the program of the guide answers from a model folder and from a server", async () => {
  const example = ["--import", "tsx", "examples/text/talk.ts"];
  const local = await run(example, "", {});
  expect(local.stdout).toMatch(
    /^ \\boxed\{figs\n17 tokens read, 5 sampled, ended by stop\nfirst log-prob -\d/,
  );
  const { url, asked } = await startServer();
  const remote = await run([...example, url, "how many?"], "", {});
  expect(remote.stdout).toBe("I was sent 1 messages.\n");
  expect(asked[0]?.body.model).toBe("the-only-one");
});
