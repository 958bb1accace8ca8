import { describe, expect, it, onTestFinished } from "vitest";
import { ChatEndpoint } from "./chat-endpoint.js";
import { EngineError } from "./error.js";
import type { RetryClock } from "./http-client.js";
import { saying } from "./testing/dialects.js";
import { type Answer, cut, events, hang, json, ModelServer, raw } from "./testing/model-server.js";

const messages = [{ role: "user", content: "who?" }];
const clock: RetryClock = { wait: async () => undefined, random: () => 0 };

async function anEndpoint(usual: Answer, config: object = { model: "m" }) {
  const server = await ModelServer.start(usual);
  const endpoint = new ChatEndpoint({ url: `${server.url}/v1/`, ...config }, clock);
  onTestFinished(() => server.stop());
  onTestFinished(() => endpoint.close());
  return { server, endpoint };
}

async function gather(pieces: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

describe("a chat endpoint", () => {
  it("answers messages and prompts with text, why it ended and what it took", async () => {
    const { server, endpoint } = await anEndpoint(saying(["Ada ", "Love", "lace"]));
    expect(await endpoint.generateText({ messages, maxTokens: 9, stop: ["."], topK: 3, seed: 1 })).toEqual({
      text: "Ada Lovelace",
      stopReason: "stop",
      usage: { promptTokens: 5, sampledTokens: 3 },
    });
    expect(server.received[0]).toMatchObject({
      path: "/v1/chat/completions",
      body: { model: "m", messages, max_tokens: 9, stop: ["."], top_k: 3, seed: 1, stream: true },
    });
    expect(server.received[0]?.body).not.toHaveProperty("temperature");
    await endpoint.generateText({ prompt: "Ada", temperature: 0 });
    expect(server.received[1]).toMatchObject({
      path: "/v1/completions",
      body: { prompt: "Ada", temperature: 0 },
    });
  });

  it("streams the text in whole characters, however the bytes are cut", async () => {
    const pieces = ["na", "ïve ", "猫", " 🚀"];
    const { endpoint } = await anEndpoint(saying(pieces, "length"));
    for (const request of [{ messages }, { prompt: "x" }]) {
      const generation = endpoint.streamText(request);
      expect(await gather(generation)).toEqual(pieces);
      expect(await generation.result).toEqual({
        text: pieces.join(""),
        stopReason: "length",
        usage: { promptTokens: 5, sampledTokens: 4 },
      });
    }
  });

  it("reads events with other line ends and without a last mark", async () => {
    const chunks = [
      { choices: [{ delta: { role: "assistant", content: null } }] },
      { choices: [{ delta: { content: "hi" }, finish_reason: "stop" }] },
    ];
    const { endpoint } = await anEndpoint(events(chunks, { done: false, separator: "\r\n\r\n" }));
    expect(await gather(endpoint.streamText({ messages }))).toEqual(["hi"]);
  });

  it("ends at a stop text that the server leaves in the answer, and hands no part of it on", async () => {
    // transformers serve behaves so: a stop text ends the sampling and stays in the answer; the usage comes with the
    // end, and no mark follows it.
    const pieces = ["It is Pa", "r", "ty time, or Pa", "ris. It"];
    const leaving: Answer = (received, response) => {
      const usage = { prompt_tokens: 5, completion_tokens: 9, total_tokens: 14 };
      const whole = {
        choices: [
          { index: 0, message: { role: "assistant", content: pieces.join("") }, finish_reason: "length" },
        ],
        usage,
      };
      const parts = [
        { choices: [{ index: 0, delta: { role: "assistant" } }] },
        ...pieces.map((content) => ({ choices: [{ index: 0, delta: { content } }] })),
        { choices: [{ index: 0, delta: {}, finish_reason: "length" }], usage },
      ];
      return (received.body["stream"] === true ? events(parts, { done: false }) : json(whole))(
        received,
        response,
      );
    };
    const { endpoint } = await anEndpoint(leaving);
    const usage = { promptTokens: 5, sampledTokens: 9 };
    const ended = { text: "It is Party time, or ", stopReason: "stop", usage };
    const stop = ["Paris", "zzz"];
    expect(await endpoint.generateText({ messages, stop })).toEqual(ended);
    const generation = endpoint.streamText({ messages, stop });
    expect(await gather(generation)).toEqual(["It is ", "Party time, or "]);
    expect(await generation.result).toEqual(ended);
    const going = endpoint.streamText({ messages, stop: ["It's"] });
    expect((await gather(going)).at(-1)).toBe("It");
    expect(await going.result).toEqual({ text: pieces.join(""), stopReason: "length", usage });
  });

  it("names the limit as the server wants it, from then on", async () => {
    const wanting: Answer = (received, response) => {
      const said = "Unsupported parameter: use 'max_completion_tokens' instead of 'max_tokens'.";
      const answer =
        "max_tokens" in received.body ? json({ error: { message: said } }, 400) : saying(["yes"]);
      return answer(received, response);
    };
    const { server, endpoint } = await anEndpoint(wanting);
    expect((await endpoint.generateText({ messages, maxTokens: 9 })).text).toBe("yes");
    expect(await gather(endpoint.streamText({ messages, maxTokens: 9 }))).toEqual(["yes"]);
    expect(server.received.map(({ body }) => body["max_completion_tokens"])).toEqual([undefined, 9, 9]);
  });

  it("takes the first model that the server names when none is given", async () => {
    const { server, endpoint } = await anEndpoint(
      (received, response) =>
        (received.path === "/v1/models" ? json({ data: [{ id: "only" }] }) : saying(["a"]))(
          received,
          response,
        ),
      {},
    );
    await endpoint.generateText({ messages });
    await endpoint.generateText({ messages });
    expect(server.received.map(({ path }) => path)).toEqual([
      "/v1/models",
      "/v1/chat/completions",
      "/v1/chat/completions",
    ]);
    expect(server.received[1]?.body["model"]).toBe("only");
  });

  it("asks again while nothing was written, and not after", async () => {
    const { server, endpoint } = await anEndpoint(saying(["fine"]));
    server.next(cut, json({ error: "busy" }, 503));
    expect(await gather(endpoint.streamText({ messages }))).toEqual(["fine"]);
    let readOne = () => {};
    const cutWhen = new Promise<void>((resolve) => {
      readOne = resolve;
    });
    const chunks = ["one", "two"].map((content) => ({ choices: [{ delta: { content } }] }));
    server.next(events(chunks, { cutAfter: 1, cutWhen }));
    const generation = endpoint.streamText({ messages });
    const pieces: string[] = [];
    const reading = (async () => {
      for await (const piece of generation) {
        pieces.push(piece);
        readOne();
      }
    })();
    await expect(reading).rejects.toThrow(/UNREACHABLE.*not requested again/);
    await expect(generation.result).rejects.toThrow(EngineError);
    expect(pieces).toEqual(["one"]);
    expect(server.received).toHaveLength(4);
  });

  it("says when a stream ends before the answer does, or tells of an error in it", async () => {
    const { server, endpoint } = await anEndpoint(
      events([{ choices: [{ delta: { content: "ha" } }] }], { done: false }),
    );
    await expect(gather(endpoint.streamText({ messages }))).rejects.toThrow(/ended before the completion/);
    server.next(events([{ error: { message: "context too long", code: 400 } }]));
    await expect(gather(endpoint.streamText({ messages }))).rejects.toThrow(/REFUSED.*context too long/);
  });

  it("ends the request when the caller aborts or the reader leaves", async () => {
    const { server, endpoint } = await anEndpoint(hang);
    const controller = new AbortController();
    const aborted = gather(endpoint.streamText({ messages, signal: controller.signal }));
    await server.until(() => server.running === 1);
    controller.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    await server.until(() => server.left === 1);
    const chunks = Array.from({ length: 50 }, () => ({ choices: [{ delta: { content: "x" } }] }));
    server.next(events(chunks, { cutAfter: 50, cutWhen: new Promise(() => undefined) }));
    for await (const _piece of endpoint.streamText({ messages })) break;
    await server.until(() => server.left === 2);
  });

  it("needs no list of models where the model is named, and says so where it is not", async () => {
    // transformers serve behaves so while the hub has no cache.
    const failing: Answer = (received, response) =>
      received.path === "/v1/models"
        ? raw("Internal Server Error", "text/plain; charset=utf-8", 500)(received, response)
        : saying(["a"])(received, response);
    const named = await anEndpoint(failing, { model: "m" });
    expect(await named.endpoint.model()).toEqual({ name: "m" });
    const { endpoint } = await anEndpoint(failing, { maxAttempts: 2 });
    await expect(endpoint.generateText({ messages })).rejects.toThrow(
      /SERVER_FAILED.*500 Internal Server Error \(the last of 2 attempts\); set model/,
    );
    const { endpoint: empty } = await anEndpoint(json({ object: "list", data: [] }), {});
    await expect(empty.model()).rejects.toThrow(/CONFIG_INVALID.*list at http.*\/v1\/models is empty/);
  });

  it("reads lists of other shapes: bare, of names, empty as null, with odd numbers", async () => {
    const lists: readonly (readonly [unknown, string | RegExp])[] = [
      [[{ id: "together" }], "together"],
      [{ models: [{ name: "gemini", model: "gemini" }] }, "gemini"],
      [{ object: "list", data: [{ id: "odd", max_model_len: "4k", meta: null }] }, "odd"],
      [{ data: [{ object: "model" }, { id: "second" }] }, "second"],
      [{ object: "list", data: null }, /CONFIG_INVALID.*list at http.*\/models is empty/],
      [{ ok: true }, /BAD_REPLY.*not a list of models/],
    ];
    for (const [list, expected] of lists) {
      const { endpoint } = await anEndpoint(json(list), {});
      const named = endpoint.model().then(({ name }) => name);
      if (typeof expected === "string") expect(await named).toBe(expected);
      else await expect(named).rejects.toThrow(expected);
    }
  });

  it("learns from the list how much the model reads at once, as vLLM and llama.cpp write it", async () => {
    const list = [
      { id: "a", owned_by: "vllm", max_model_len: 2048 },
      { id: "b", owned_by: "llamacpp", meta: { n_ctx: 4096, n_ctx_train: 8192 } },
      { id: "c", owned_by: "other", meta: "?" },
    ];
    for (const [model, contextTokens] of [
      ["a", 2048],
      ["b", 4096],
      ["c", undefined],
    ] as const) {
      const { endpoint } = await anEndpoint(json({ object: "list", data: list }), { model });
      expect((await endpoint.model()).contextTokens).toBe(contextTokens);
    }
  });
});
