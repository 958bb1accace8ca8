import { once } from "node:events";
import { connect } from "node:net";
import { PassThrough } from "node:stream";
import { ChatEndpoint, HttpSampler } from "@palimpsest/engines";
import { createLogger, createMetrics } from "@palimpsest/telemetry";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type AccessOptions, accessGuard } from "./access-guard.js";
import { askChat } from "./chat-answer.js";
import type { ServedModel } from "./served-model.js";
import { ModelServer } from "./server.js";
import { parseServeSettings, type ServeSettings } from "./settings.js";
import { aServedModel, aTinyModel } from "./testing.js";

interface Running {
  readonly server: ModelServer;
  readonly url: string;
  /** Resolves with the first line of the log that the condition holds of. */
  logged(condition: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
}

// One model behind every server of this file: to make one takes longer than to ask it. No token ends its answers.
let model: ServedModel;
beforeAll(async () => {
  model = await aServedModel(aTinyModel({ ends: false }));
});
afterAll(async () => {
  await model.close();
});

async function start(
  settings: Partial<ServeSettings> = {},
  access: Partial<AccessOptions> = {},
  origins: readonly string[] = [],
): Promise<Running> {
  const lines: Record<string, unknown>[] = [];
  const watchers: ((line: Record<string, unknown>) => void)[] = [];
  const destination = new PassThrough();
  destination.on("data", (chunk: Buffer) => {
    for (const text of chunk.toString().trim().split("\n")) {
      const line = JSON.parse(text) as Record<string, unknown>;
      lines.push(line);
      for (const watch of watchers) watch(line);
    }
  });
  const server = await ModelServer.start(model, {
    host: "127.0.0.1",
    port: 0,
    settings: parseServeSettings(settings),
    guard: accessGuard({ host: "127.0.0.1", tls: false, insecure: false, ...access }),
    origins,
    metrics: createMetrics({ component: "serve", processMetrics: false }),
    logger: createLogger({ component: "serve", destination }),
  });
  onTestFinished(() => server.close());
  return {
    server,
    url: server.url,
    logged: (condition) =>
      new Promise((resolve) => {
        const found = lines.find(condition);
        if (found !== undefined) resolve(found);
        watchers.push((line) => condition(line) && resolve(line));
      }),
  };
}

const post = (url: string, body: object, more: RequestInit = {}) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...more,
  });

// biome-ignore lint/suspicious/noExplicitAny: answers of a protocol, looked into by expectations alone
const jsonOf = async (response: Response): Promise<any> => response.json();

const eventsOf = (text: string) =>
  text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => event.replace(/^data: /, ""));

const hello = [{ role: "user", content: "the cat" }];

describe("the server", () => {
  it("names its model, its health and its weights", async () => {
    const { url } = await start();
    const list = await jsonOf(await fetch(`${url}/v1/models`));
    expect(list.data).toMatchObject([{ id: "tiny", object: "model", max_model_len: 2048 }]);
    expect(await jsonOf(await fetch(`${url}/v1/models/tiny`))).toMatchObject({ id: "tiny" });
    expect(await jsonOf(await fetch(`${url}/health`))).toEqual({ status: "ok" });
    expect(model.fingerprint).toMatch(/^v7-[0-9a-f]{64}$/);
    await post(`${url}/v1/completions`, { prompt: "the", max_tokens: 2 });
    const page = await (await fetch(`${url}/metrics`)).text();
    expect(page).toContain(
      'palimpsest_serve_requests_total{endpoint="/v1/completions",status="200",component="serve"} 1',
    );
  });

  it("gives our own sampler's tokens and log-probs to our own client of vLLM's protocol", async () => {
    const { url } = await start();
    const sampler = new HttpSampler({ url, kind: "vllm", model: "tiny" });
    const request = {
      promptTokenIds: model.tokenizer.encode("the cat sat"),
      maxTokens: 24,
      temperature: 0.8,
      topP: 0.9,
      stopTokenIds: [5],
      seed: 11,
    };
    const seen: number[] = [];
    const here = await model.sampler.generate(request);
    const there = await sampler.generate({ ...request, onTokens: (ids) => seen.push(...ids) });
    const plain = await sampler.generate(request);
    expect(there.tokenIds).toEqual(here.tokenIds);
    expect(there.rolloutLogprobs).toEqual(here.rolloutLogprobs);
    expect(plain.tokenIds).toEqual(here.tokenIds);
    expect(seen).toEqual(here.tokenIds);
    await sampler.close();
  });

  it("answers a chat whole and in pieces with the same text", async () => {
    const { url } = await start();
    const body = { model: "tiny", messages: hello, max_tokens: 30, temperature: 0.7, seed: 3 };
    const whole = await jsonOf(await post(`${url}/v1/chat/completions`, body));
    expect(whole).toMatchObject({
      object: "chat.completion",
      system_fingerprint: model.fingerprint,
      choices: [{ index: 0, message: { role: "assistant" }, logprobs: null }],
    });
    const prompt = model.template?.encode(hello).length ?? 0;
    const { completion_tokens: sampled } = whole.usage;
    expect(whole.usage).toEqual({
      prompt_tokens: prompt,
      completion_tokens: sampled,
      total_tokens: prompt + sampled,
    });
    const streamed = await post(`${url}/v1/chat/completions`, {
      ...body,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(streamed.headers.get("content-type")).toContain("text/event-stream");
    const events = eventsOf(await streamed.text());
    expect(events.pop()).toBe("[DONE]");
    const chunks = events.map((event) => JSON.parse(event));
    expect(chunks[0].choices[0].delta).toEqual({ role: "assistant", content: "" });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
    expect(chunks.at(-2).choices[0].finish_reason).toBe(whole.choices[0].finish_reason);
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
    expect(text).toBe(whole.choices[0].message.content);
    const endpoint = new ChatEndpoint({ url });
    const answer = await endpoint.generateText({
      messages: hello,
      maxTokens: 30,
      temperature: 0.7,
      seed: 3,
    });
    expect(answer.text).toBe(text);
    await endpoint.close();
  });

  it("tells log-probs with the likeliest tokens, whole and in pieces alike", async () => {
    const { url } = await start();
    const body = { messages: hello, max_tokens: 12, seed: 5, logprobs: true, top_logprobs: 3 };
    const { choices } = await jsonOf(await post(`${url}/v1/chat/completions`, body));
    const told = choices[0].logprobs.content;
    expect(told.length).toBeGreaterThan(0);
    for (const { token, bytes, logprob, top_logprobs: top } of told) {
      // Parts of characters all have the same text and no bytes.
      const itself = top.find((likely: { token: string }) => bytes !== null && likely.token === token);
      if (itself !== undefined) expect(itself.logprob).toBe(logprob);
      expect(top).toHaveLength(3);
      expect(top[0].logprob).toBeGreaterThanOrEqual(top[1].logprob);
      expect(logprob).toBeLessThanOrEqual(top[0].logprob);
    }
    const streamed = await post(`${url}/v1/chat/completions`, { ...body, stream: true });
    const chunks = eventsOf(await streamed.text())
      .slice(0, -1)
      .map((event) => JSON.parse(event));
    expect(chunks.flatMap((chunk) => chunk.choices[0].logprobs?.content ?? [])).toEqual(told);
    const completion = { prompt: "the", max_tokens: 6, logprobs: 2, temperature: 0 };
    const answer = (await jsonOf(await post(`${url}/v1/completions`, completion))).choices[0].logprobs;
    expect(answer.tokens).toHaveLength(answer.token_logprobs.length);
    expect(Object.keys(answer.top_logprobs[0])).toContain(answer.tokens[0]);
  });

  it("goes on with texts and token ids, several and n of each, with seeds of their own", async () => {
    const { url } = await start();
    const ids = model.tokenizer.encode("the dog");
    const ask = async (body: object) =>
      (await jsonOf(await post(`${url}/v1/completions`, { max_tokens: 10, seed: 4, ...body }))).choices;
    const many = await ask({ prompt: ["the cat", "the dog"], n: 2 });
    expect(many.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2, 3]);
    const [byIds] = await ask({ prompt: ids });
    expect(byIds.text).toBe(many[2].text);
    expect(many[3].text).not.toBe(many[2].text);
    expect((await ask({ prompt: [ids] }))[0].text).toBe(byIds.text);
  });

  it("ends before a stop text, which is no part of the answer", async () => {
    const { url } = await start();
    const body = { prompt: "the cat", max_tokens: 120, seed: 9, return_token_ids: true };
    const [{ text }] = (await jsonOf(await post(`${url}/v1/completions`, body))).choices;
    const stop = /[!-~]{2}/.exec(text)?.[0] ?? "";
    expect(stop).not.toBe("");
    const [ended] = (await jsonOf(await post(`${url}/v1/completions`, { ...body, stop }))).choices;
    expect(ended).toMatchObject({ text: text.slice(0, text.indexOf(stop)), finish_reason: "stop" });
    const streamed = eventsOf(
      await (await post(`${url}/v1/completions`, { ...body, stop, stream: true })).text(),
    );
    const chunks = streamed.slice(0, -1).map((event) => JSON.parse(event));
    expect(chunks.map(({ choices }) => choices[0].text).join("")).toBe(ended.text);
  });

  it("accepts what SDKs send for text alone, and seeds of 64 bits", async () => {
    const { url } = await start();
    const text = async (body: object) =>
      (
        await jsonOf(await post(`${url}/v1/chat/completions`, { messages: hello, max_tokens: 8, ...body }))
      ).choices.map((choice: { message: { content: string } }) => choice.message.content);
    const plain = await text({ seed: 5 });
    const sent = { modalities: ["text"], parallel_tool_calls: false, response_format: { type: "text" } };
    expect(await text({ seed: 5, ...sent })).toEqual(plain);
    for (const seed of [2 ** 53 - 1, 2 ** 63, -(2 ** 63)]) {
      const several = await text({ seed, n: 2 });
      expect(several).toHaveLength(2);
      expect(await text({ seed, n: 2 })).toEqual(several);
    }
  });

  it("answers pages of other origins only where they are allowed, and never without the key", async () => {
    const page = { origin: "https://app.example" };
    const preflight = { method: "OPTIONS", headers: { ...page, "access-control-request-method": "POST" } };
    const { url } = await start();
    const refused = await fetch(`${url}/v1/models`, preflight);
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([405, null]);
    const token = "a token of sixteen";
    const { url: open } = await start({}, { token }, ["https://app.example"]);
    const asked = await fetch(`${open}/v1/chat/completions`, preflight);
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-headers")).toContain("authorization");
    const answered = await fetch(`${open}/v1/models`, {
      headers: { ...page, authorization: `Bearer ${token}` },
    });
    expect([answered.status, answered.headers.get("access-control-allow-origin")]).toEqual([
      200,
      page.origin,
    ]);
    const without = await fetch(`${open}/v1/models`, { headers: page });
    expect([without.status, without.headers.get("access-control-allow-origin")]).toEqual([401, page.origin]);
    const other = await fetch(`${open}/v1/models`, {
      ...preflight,
      headers: { ...preflight.headers, origin: "https://evil.example" },
    });
    expect(other.headers.get("access-control-allow-origin")).toBeNull();
    expect(other.status).not.toBe(204);
  });

  it("writes tools into the prompt where the template has a place for them", async () => {
    const { url } = await start();
    const tool = { type: "function", function: { name: "look", parameters: { type: "object" } } };
    const tokens = async (more: object) => {
      const body = { messages: hello, max_tokens: 1, ...more };
      return (await jsonOf(await post(`${url}/v1/chat/completions`, body))).usage.prompt_tokens;
    };
    const without = await tokens({});
    expect(await tokens({ tools: [tool] })).toBeGreaterThan(without);
    expect(await tokens({ tools: [tool], tool_choice: "none" })).toBe(without);
  });
});

describe("a request that is refused", () => {
  it.each([
    ["temperature", { temperature: -1 }, 400, "invalid_value", /temperature: .*; it is -1/],
    ["messages[0].role", { messages: [{ role: "king", content: "" }] }, 400, "invalid_value", /it is "king"/],
    ["messages", { messages: undefined }, 400, "invalid_value", /messages: .*missing/],
    ["beams", { beams: 4 }, 400, "unknown_parameter", /beams: .*leave it out/],
    ["frequency_penalty", { frequency_penalty: 1 }, 400, "invalid_value", /only 0 is supported/],
    ["top_logprobs", { top_logprobs: 2 }, 400, "unsupported_value", /set logprobs to true/],
    ["response_format.type", { response_format: { type: "json_object" } }, 400, "invalid_value", /JSON/],
    [
      "response_format.type",
      { response_format: { type: "json_schema", json_schema: {} } },
      400,
      "invalid_value",
      /without a grammar.*ask for JSON/,
    ],
    ["messages", { messages: [] }, 400, "invalid_value", /^messages: must not be empty; it is \[\]$/],
    ["n", { n: "two" }, 400, "invalid_value", /^n: must be a number; it is "two"$/],
    ["temperature", { temperature: -1 }, 400, "invalid_value", /must be at least 0; it is -1/],
    ["top_p", { top_p: 0 }, 400, "invalid_value", /must be above 0; it is 0/],
    [
      "messages[0].role",
      { messages: [{ role: "bot", content: "" }] },
      400,
      "invalid_value",
      /must be "system" or "developer"/,
    ],
    ["seed", { seed: 0.5 }, 400, "invalid_value", /whole number of 64 bits/],
    [
      "max_tokens",
      { max_tokens: 5000 },
      400,
      "context_length_exceeded",
      /is 5000, .* of the model's 2048; request/,
    ],
    ["model", { model: "gpt" }, 404, "model_not_found", /"gpt".*"tiny"/],
    ["n", { n: 17 }, 400, "invalid_value", /is 17, and one request may have at most 16/],
  ])("is told its field %s, value and fix", async (param, change, status, code, message) => {
    const { url } = await start();
    const response = await post(`${url}/v1/chat/completions`, { messages: hello, ...change });
    expect(response.status).toBe(status);
    const { error } = await jsonOf(response);
    expect(error).toMatchObject({ param, code });
    expect(error.message).toMatch(message);
  });

  it("is told its type, length and address", async () => {
    const { url } = await start({ maxBodyBytes: 1024 });
    const chat = `${url}/v1/chat/completions`;
    expect((await fetch(chat, { method: "POST", body: "{}" })).status).toBe(415);
    expect((await post(chat, { messages: [{ role: "user", content: "x".repeat(2000) }] })).status).toBe(413);
    const headers = { "content-type": "application/json" };
    expect((await fetch(chat, { method: "POST", headers, body: "{" })).status).toBe(400);
    expect((await fetch(chat)).status).toBe(405);
    expect((await fetch(`${url}/v2`)).status).toBe(404);
  });

  it("is told that a model without a template has no chat", () => {
    const silent = Object.create(model, { template: { value: undefined } }) as ServedModel;
    expect(() => askChat(silent, { json: { messages: hello }, text: "" }, 16)).toThrow(
      /use \/v1\/completions/,
    );
  });

  it("needs the token where there is one (APISERVER-1)", async () => {
    const token = "a-token-that-nobody-guesses";
    const { url } = await start({}, { token });
    for (const path of ["/v1/models", "/health", "/metrics"])
      expect((await fetch(`${url}${path}`)).status).toBe(401);
    const authorization = `Bearer ${token}`;
    expect((await fetch(`${url}/v1/models`, { headers: { authorization } })).status).toBe(200);
    expect((await post(`${url}/v1/completions`, { prompt: "the" })).status).toBe(401);
  });

  it("beyond loopback nothing starts without encryption and a token", () => {
    const access = { host: "0.0.0.0", tls: false, insecure: false };
    expect(() => accessGuard(access)).toThrow(/--tls FOLDER/);
    expect(() => accessGuard({ ...access, insecure: true })).toThrow(/PALIMPSEST_SERVE_TOKEN/);
    expect(() => accessGuard({ ...access, tls: true, token: "short" })).toThrow(/at least 16/);
  });

  it("without a token other names than this machine's are not answered", async () => {
    const guard = accessGuard({ host: "127.0.0.1", tls: false, insecure: false });
    const asking = (host: string) => () => guard({ headers: { host } } as Parameters<typeof guard>[0]);
    expect(asking("evil.example:8000")).toThrow(/evil\.example/);
    expect(asking("localhost:8000")).not.toThrow();
    expect(asking("[::1]:8000")).not.toThrow();
  });
});

describe("bounds", () => {
  const long = { prompt: "the", max_tokens: 2000, stop_token_ids: [], stream: true, temperature: 1 };

  /** A stream that has begun. */
  async function begun(url: string) {
    const left = new AbortController();
    const response = await post(`${url}/v1/completions`, long, { signal: left.signal });
    expect(response.status).toBe(200);
    return { response, left };
  }

  it("a choice beyond those that may wait is answered 429 (APISERVER-3), and a client that leaves makes room (APISERVER-2)", async () => {
    const { url, logged } = await start({ maxBatch: 1, maxWaiting: 0 });
    const { left } = await begun(url);
    const refused = await post(`${url}/v1/completions`, { prompt: "the" });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("1");
    left.abort();
    await logged(({ status }) => status === "left");
    expect(model.sampler.stats).toMatchObject({ running: 0, queueDepth: 0 });
    expect((await post(`${url}/v1/completions`, { prompt: "the" })).status).toBe(200);
  });

  it("a request that takes too long is answered 504 and not asked again", async () => {
    const { url } = await start({ deadlineMs: 1 });
    const response = await post(`${url}/v1/completions`, { ...long, stream: false });
    expect(response.status).toBe(504);
    expect(response.headers.get("x-should-retry")).toBe("false");
  });

  it("a server that stops tells the streams that it ends (APISERVER-4)", async () => {
    const { url, server } = await start({ graceMs: 0 });
    const { response } = await begun(url);
    const closed = server.close();
    const events = eventsOf(await response.text());
    await closed;
    expect(JSON.parse(events.at(-1) ?? "").error.code).toBe("stopping");
    expect(model.sampler.stats.running).toBe(0);
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });

  it("a server that stops lets requests finish within the grace (APISERVER-4)", async () => {
    const { url, server } = await start({});
    const response = await post(`${url}/v1/completions`, { ...long, max_tokens: 200 });
    const closed = server.close();
    expect(eventsOf(await response.text()).at(-1)).toBe("[DONE]");
    await closed;
  });
});

describe("a client of bad manners", () => {
  const completions = (url: string) => `${url}/v1/completions`;

  it("is refused by its numbers before anything is made for them", async () => {
    const { url } = await start({ maxChoices: 4 });
    for (const body of [
      { prompt: "the", n: 2 ** 33 },
      // The token is not in the model's vocabulary: that would be the error if prompts were read first.
      { prompt: Array.from({ length: 5 }, () => [99_999]), n: 1 },
    ]) {
      const answer = await post(completions(url), { max_tokens: 1, ...body });
      expect(answer.status).toBe(400);
      expect((await jsonOf(answer)).error).toMatchObject({
        param: "n",
        message: expect.stringContaining("may have at most 4"),
      });
    }
    const small = await start({ maxBatch: 1, maxWaiting: 0 });
    const never = await post(completions(small.url), { prompt: "the", max_tokens: 1, n: 2 });
    expect([never.status, never.headers.get("x-should-retry")]).toEqual([400, null]);
  });

  it("is told what is wrong with its bytes", async () => {
    const { url } = await start();
    const send = async (body: Buffer | string) => {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(completions(url), { method: "POST", headers, body });
      return [answer.status, (await jsonOf(answer)).error.code];
    };
    const noText = Buffer.concat([
      Buffer.from('{"prompt":"the '),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ]);
    expect(await send(noText)).toEqual([400, "invalid_json"]);
    expect(await send(`{"prompt":${"[".repeat(50_000)}${"]".repeat(50_000)}}`)).toEqual([
      400,
      "invalid_value",
    ]);
    expect((await fetch(`${url}/v1/models/%E0%A4%A`)).status).toBe(404);
  });

  it("may put an answer back as OpenAI's client dumps it, with null for what it does not have", async () => {
    const { url } = await start();
    const dumped = { role: "assistant", content: "sat", refusal: null, tool_calls: null, name: null };
    const answer = await post(`${url}/v1/chat/completions`, {
      messages: [...hello, dumped, ...hello],
      max_tokens: 1,
      stream_options: { include_usage: null },
    });
    expect(answer.status).toBe(200);
  });

  it("APISERVER-2: leaves nothing in the sampler when it goes, of requests in a row on one connection either", async () => {
    const { url, logged } = await start();
    const { port } = new URL(url);
    const ask = (tokens: number) => {
      const body = JSON.stringify({ prompt: "the cat", max_tokens: tokens, stream: true });
      return `POST /v1/completions?${tokens} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    };
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(ask(1500) + ask(1501));
    await once(socket, "data");
    let left = 0;
    const both = logged((line) => line["status"] === "left" && ++left === 2);
    socket.destroy();
    await both;
    // Every place is free again.
    const answer = await post(completions(url), { prompt: "the", max_tokens: 1, n: 4 });
    expect(answer.status).toBe(200);
  });

  it("APISERVER-5: does not have an answer kept that it does not read", async () => {
    const { url, logged } = await start({ unreadMs: 50 });
    const { port } = new URL(url);
    const body = JSON.stringify({ prompt: "the cat", max_tokens: 1900, logprobs: 5 });
    const socket = connect({ port: Number(port), host: "127.0.0.1" });
    socket.on("error", () => undefined).pause();
    const ended = once(socket, "close");
    socket.write(
      `POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await logged((line) => line["path"] === "/v1/completions");
    // What the kernel has taken comes through, and then the end.
    socket.resume();
    await ended;
  });
});
