import { inspect } from "node:util";
import type { Sampler } from "@palimpsest/agents";
import { describe, expect, it, onTestFinished } from "vitest";
import { EngineError } from "./error.js";
import type { GenerateRequest } from "./generate.js";
import type { RetryClock } from "./http-client.js";
import { HttpSampler, type HttpSamplerConfig } from "./http-sampler.js";
import type { ServerKind } from "./server-kind.js";
import { likeLlamaCpp, likeSglang, likeVllm, logprobOf } from "./testing/dialects.js";
import { type Answer, cut, events, hang, json, ModelServer, raw } from "./testing/model-server.js";

const likes: Readonly<Record<ServerKind, Answer>> = {
  vllm: likeVllm,
  sglang: likeSglang,
  llamacpp: likeLlamaCpp,
};
const kinds = Object.keys(likes) as ServerKind[];

const request: GenerateRequest = {
  promptTokenIds: [10, 11, 12],
  maxTokens: 4,
  temperature: 1,
  stopTokenIds: [],
  seed: 7,
};

async function aServer(usual: Answer): Promise<ModelServer> {
  const server = await ModelServer.start(usual);
  onTestFinished(() => server.stop());
  return server;
}

/** A clock that does not wait, and records how long it should have waited. */
function aClock(): RetryClock & { readonly waits: number[] } {
  const waits: number[] = [];
  return { waits, random: () => 0.5, wait: async (ms) => void waits.push(ms) };
}

function aSampler(
  server: ModelServer,
  config: Partial<HttpSamplerConfig> = {},
  clock = aClock(),
): HttpSampler {
  const sampler = new HttpSampler({ url: server.url, kind: "vllm", ...config }, clock);
  onTestFinished(() => sampler.close());
  return sampler;
}

async function failure(promise: Promise<unknown>): Promise<EngineError> {
  const reason = await promise.then(
    () => expect.fail("it succeeded"),
    (error: unknown) => error,
  );
  expect(reason).toBeInstanceOf(EngineError);
  return reason as EngineError;
}

describe.each(kinds)("a sampler over a server like %s", (kind) => {
  it("takes token ids and gives token ids, a log-prob each", async () => {
    const server = await aServer(likes[kind]);
    const sampler: Sampler = aSampler(server, { kind });
    expect(await sampler.generate(request)).toEqual({
      tokenIds: [13, 14, 15, 16],
      rolloutLogprobs: [13, 14, 15, 16].map(logprobOf),
      stopReason: "length",
      policyVersion: 0,
      weightsHash: "",
    });
  });

  it("streams each token once and in order, however the bytes are cut", async () => {
    const server = await aServer(likes[kind]);
    const seen: number[] = [];
    const result = await aSampler(server, { kind }).generate({
      ...request,
      onTokens: (tokenIds) => seen.push(...tokenIds),
    });
    expect(result.tokenIds).toEqual([13, 14, 15, 16]);
    expect(result.rolloutLogprobs).toEqual([13, 14, 15, 16].map(logprobOf));
    expect(seen).toEqual([13, 14, 15, 16]);
  });

  it("ends with the stop token, whether or not the server knows it (HTTPSAMPLER-3)", async () => {
    const server = await aServer(likes[kind]);
    const sampler = aSampler(server, { kind });
    for (const streams of [false, true]) {
      const seen: number[] = [];
      const onTokens = (tokenIds: readonly number[]) => seen.push(...tokenIds);
      const result = await sampler.generate({
        ...request,
        stopTokenIds: [14],
        ...(streams ? { onTokens } : {}),
      });
      expect(result.tokenIds).toEqual([13, 14]);
      expect(result.rolloutLogprobs).toHaveLength(2);
      expect(result.stopReason).toBe("stop");
      expect(seen).toEqual(streams ? [13, 14] : []);
    }
  });

  it("sends every sampling setting, so that none is the server's own", async () => {
    const server = await aServer(likes[kind]);
    const sampler = aSampler(server, { kind });
    await sampler.generate(request);
    await sampler.generate({ ...request, topP: 0.9, topK: 5, minP: 0.1, stop: ["."] });
    const [plain, set] = server.received.map(({ body }) => ({
      ...body,
      ...(body["sampling_params"] as object),
    }));
    expect(plain).toMatchObject({ temperature: 1, top_p: 1, min_p: 0 });
    expect(plain).toHaveProperty("top_k", kind === "llamacpp" ? 0 : -1);
    expect(plain).toHaveProperty(kind === "llamacpp" ? "repeat_penalty" : "repetition_penalty", 1);
    expect(plain).toHaveProperty(kind === "sglang" ? "sampling_seed" : "seed", 7);
    expect(set).toMatchObject({ top_p: 0.9, top_k: 5, min_p: 0.1, stop: ["."] });
  });

  it("tries again after 429, 5xx and a cut connection, and then answers (HTTPCLIENT-1)", async () => {
    const server = await aServer(likes[kind]);
    const clock = aClock();
    server.next(json({ error: { message: "busy" } }, 429, { "retry-after": "3" }), json({}, 500));
    // The first is a kept connection, which is told from the server's own failure by a new one (HTTPCLIENT-6).
    server.next(cut, cut);
    const result = await aSampler(server, { kind, backoffMs: 100 }, clock).generate(request);
    expect(result.tokenIds).toHaveLength(4);
    expect(clock.waits).toEqual([3000, 100, 200]);
  });

  it.skipIf(kind === "llamacpp")("does not ask again when a part was passed on (HTTPCLIENT-2)", async () => {
    const server = await aServer(likes[kind]);
    const streamed = await aServer(likes[kind]);
    // These are the events that such a server would stream, taken from one that does.
    const streams = new Promise<unknown[]>((resolve) => {
      streamed.next(async (received, response) => {
        const write = response.write.bind(response);
        const bytes: Buffer[] = [];
        response.write = ((chunk: Buffer) => {
          bytes.push(chunk);
          return write(chunk);
        }) as typeof response.write;
        await likes[kind](received, response);
        const lines = Buffer.concat(bytes).toString().split("\n\n");
        resolve(
          lines
            .filter((line) => line.startsWith("data: {"))
            .map((line) => JSON.parse(line.slice(6)) as unknown),
        );
      });
    });
    await aSampler(streamed, { kind }).generate({ ...request, onTokens: () => undefined });
    const whole = await streams;
    const seen: number[] = [];
    let sawTwo = () => {};
    const cutWhen = new Promise<void>((resolve) => {
      sawTwo = resolve;
    });
    server.next(events(whole, { cutAfter: 2, cutWhen }));
    const onSome = (tokenIds: readonly number[]) => {
      seen.push(...tokenIds);
      if (seen.length === 2) sawTwo();
    };
    const error = await failure(aSampler(server, { kind }).generate({ ...request, onTokens: onSome }));
    expect(error.code).toBe("UNREACHABLE");
    expect(error.message).toMatch(/not requested again/);
    expect(seen).toEqual([13, 14]);
    expect(server.received).toHaveLength(1);
  });

  it("says what cannot be trained when log-probs are missing (HTTPSAMPLER-1)", async () => {
    const server = await aServer(
      json({
        choices: [{ token_ids: [13], logprobs: null, finish_reason: "length" }],
        meta_info: { completion_tokens: 1, finish_reason: { type: "length" } },
        tokens: [13],
        stop_type: "limit",
      }),
    );
    const error = await failure(aSampler(server, { kind }).generate(request));
    expect(error.code).toBe("NOT_TRAINABLE");
    expect(error.message).toMatch(/which training needs/);
  });

  it("refuses an answer of another kind of server, naming the field", async () => {
    const server = await aServer(json({ choices: "?", meta_info: 1, tokens: "?" }));
    const error = await failure(aSampler(server, { kind }).generate(request));
    expect(error).toMatchObject({ code: "BAD_REPLY", retryable: false });
    expect(error.message).toMatch(/check that `kind` names the server/);
    expect(server.received).toHaveLength(1);
  });
});

describe("a sampler over llama.cpp", () => {
  it("is not drawn from otherwise by the server's flags, or by what a GGUF file says of sampling", async () => {
    const server = await aServer(likeLlamaCpp);
    await aSampler(server, { kind: "llamacpp" }).generate(request);
    expect(server.received[0]?.body).toMatchObject({
      // xtc, dry, typical, penalties, top-n-sigma and adaptive-p must not apply, whatever they are set to.
      samplers: ["top_k", "top_p", "min_p", "temperature"],
      mirostat: 0,
      dynatemp_range: 0,
      ignore_eos: false,
    });
  });

  const logprobs = (result: { readonly tokenIds: readonly number[] }) => result.tokenIds.map(logprobOf);

  it("asks for the log-probs of tokens within characters, and streams none of them away", async () => {
    const server = await aServer(likeLlamaCpp);
    const sampler = aSampler(server, { kind: "llamacpp" });
    for (const first of [75, 175]) {
      const seen: number[] = [];
      const result = await sampler.generate({
        ...request,
        promptTokenIds: [10, first],
        onTokens: (tokenIds) => seen.push(...tokenIds),
      });
      expect(result.tokenIds).toEqual([first + 1, first + 2, first + 3, first + 4]);
      expect(result.rolloutLogprobs).toEqual(logprobs(result));
      expect(seen).toEqual(result.tokenIds);
    }
    const asked = server.received.filter(({ body }) => body["logit_bias"] !== undefined);
    expect(asked.map(({ body }) => body["prompt"])).toEqual([
      [10, 75, 76],
      [10, 175, 176],
      [10, 175, 176],
    ]);
  });

  it("asks for those of the tokens that a stop text took", async () => {
    const server = await aServer(likeLlamaCpp);
    const result = await aSampler(server, { kind: "llamacpp" }).generate({ ...request, stop: [" t14"] });
    expect(result).toMatchObject({ tokenIds: [13, 14], stopReason: "stop" });
    expect(result.rolloutLogprobs).toEqual(logprobs(result));
  });

  it("gives no token the log-prob of an equal one", async () => {
    const token = (id: number, logprob: number) => ({ id, logprob, top_logprobs: [{ id, logprob }] });
    const server = await aServer(likeLlamaCpp);
    // The first or the second of two equal tokens was within a character, and it cannot be known which.
    server.next(
      json({
        tokens: [5, 8, 8, 6],
        tokens_predicted: 4,
        completion_probabilities: [token(5, -1), token(8, -2), token(6, -3)],
        stop_type: "limit",
      }),
      json({ tokens: [97] }),
      json({ completion_probabilities: [token(8, -0.25)] }),
      json({ completion_probabilities: [token(8, -0.5)] }),
    );
    const { rolloutLogprobs } = await aSampler(server, { kind: "llamacpp" }).generate(request);
    expect(rolloutLogprobs).toEqual([-1, -0.25, -0.5, -3]);
  });

  it("takes no answer for whole that does not say its tokens (HTTPSAMPLER-1)", async () => {
    const server = await aServer(
      json({
        completion_probabilities: [{ id: 5, logprob: -1 }],
        tokens_predicted: 2,
        stop_type: "limit",
      }),
    );
    const error = await failure(aSampler(server, { kind: "llamacpp" }).generate(request));
    expect(error.message).toMatch(/NOT_TRAINABLE.*no token ids.*newer llama\.cpp/);
  });
});

describe("answers that are broken", () => {
  it.each([
    ["no JSON", raw("{ half", "application/json"), "BAD_REPLY", /does not parse/],
    ["a page", raw("<html>hi</html>", "text/html"), "BAD_REPLY", /text\/html instead of JSON/],
    ["no UTF-8", raw(Uint8Array.of(0x7b, 0xff, 0xfe), "application/json"), "BAD_REPLY", /not UTF-8/],
    ["a refusal", json({ error: { message: "too long" } }, 400), "REFUSED", /400 too long/],
    ["a wrong key", json({ detail: "who?" }, 401), "REFUSED", /401 who\?; give the server's key/],
    ["a redirect", json({}, 302, { location: "/x" }), "REFUSED", /302 .*redirects are not followed/],
  ] as const)("%s is a named error", async (_what, answer: Answer, code, message) => {
    const server = await aServer(answer);
    const error = await failure(aSampler(server, { maxAttempts: 1 }).generate(request));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  it("of a stream are too", async () => {
    const server = await aServer(likeVllm);
    const onTokens = () => undefined;
    const ask = (answer: Answer) => {
      server.next(answer);
      return failure(aSampler(server, { maxAttempts: 1 }).generate({ ...request, onTokens }));
    };
    expect((await ask(json({ choices: [] }))).message).toMatch(/ended before the completion was finished/);
    expect((await ask(events(["{ half"]))).message).toMatch(/does not parse/);
    expect((await ask(raw(Uint8Array.of(0x64, 0xff, 0xfe), "text/event-stream"))).message).toMatch(
      /not UTF-8/,
    );
    expect((await ask(events([{ error: { message: "out of memory", code: 500 } }]))).message).toMatch(
      /SERVER_FAILED.*out of memory/,
    );
    expect((await ask(events([]))).message).toMatch(/ended before the completion/);
    expect((await ask(raw("", "text/event-stream", 503))).code).toBe("OVERLOADED");
  });

  it("in numbers are errors: more tokens than asked for, fewer log-probs, an aborted request", async () => {
    const choice = (tokens: number, logprobs: number, finish_reason: string) =>
      json({
        choices: [
          {
            token_ids: Array.from({ length: tokens }, (_, i) => i),
            logprobs: { token_logprobs: Array.from({ length: logprobs }, () => -1) },
            finish_reason,
          },
        ],
      });
    const server = await aServer(likeVllm);
    const ask = (answer: Answer) => {
      server.next(answer);
      return failure(aSampler(server, { maxAttempts: 1 }).generate(request));
    };
    expect((await ask(choice(5, 5, "length"))).message).toMatch(/BAD_REPLY.*5 tokens, but maxTokens is 4/);
    expect((await ask(choice(4, 3, "length"))).message).toMatch(/NOT_TRAINABLE.*3 log-probs for 4 tokens/);
    expect((await ask(choice(1, 1, "abort"))).code).toBe("SERVER_FAILED");
    expect((await ask(json({ choices: [] }))).message).toMatch(/no completion/);
  });

  it("from vLLM before return_token_ids are read from the texts of the log-probs", async () => {
    const logprobs = { tokens: ["token_id:5", "token_id:6"], token_logprobs: [-1, -2] };
    const server = await aServer(json({ choices: [{ logprobs, finish_reason: "length" }] }));
    expect((await aSampler(server).generate(request)).tokenIds).toEqual([5, 6]);
  });
});

describe("requests", () => {
  it("end in time: an attempt, and all of them together", async () => {
    const server = await aServer(hang);
    const attempt = await failure(
      aSampler(server, { attemptTimeoutMs: 20, maxAttempts: 2 }).generate(request),
    );
    expect(attempt.message).toMatch(/TIMEOUT.*attemptTimeoutMs 20.*last of 2 attempts/);
    const all = await failure(aSampler(server, { timeoutMs: 30 }).generate(request));
    expect(all.message).toMatch(/TIMEOUT.*timeoutMs 30/);
    // On a busy machine an attempt may end before its request arrives.
    await server.until(() => server.running === 0);
  });

  it("do not wait for a Retry-After beyond their time", async () => {
    const server = await aServer(json({}, 429, { "retry-after": "3600" }));
    const clock = aClock();
    const error = await failure(aSampler(server, {}, clock).generate(request));
    expect(error).toMatchObject({
      code: "OVERLOADED",
      retryAfterMs: 3_600_000,
      retryable: true,
      status: 429,
    });
    expect(clock.waits).toEqual([]);
  });

  it("give up after maxAttempts, waiting longer each time up to maxBackoffMs", async () => {
    const server = await aServer(json({}, 500));
    const clock = aClock();
    const config = { maxAttempts: 5, backoffMs: 100, maxBackoffMs: 300 };
    const error = await failure(aSampler(server, config, clock).generate(request));
    expect(error.message).toMatch(/SERVER_FAILED.*last of 5 attempts/);
    expect(clock.waits).toEqual([50, 100, 150, 150]);
  });

  it("close the connection when they are aborted, and are not tried again (HTTPCLIENT-3)", async () => {
    const server = await aServer(hang);
    const controller = new AbortController();
    const running = aSampler(server).generate(request, controller.signal);
    await server.until(() => server.running === 1);
    controller.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    await server.until(() => server.left === 1);
    expect(server.received).toHaveLength(1);
    await expect(aSampler(server).generate(request, controller.signal)).rejects.toThrow("enough");
  });

  it("run so many at once, wait in a bounded row, and leave it when aborted (SEMAPHORE-2, SEMAPHORE-3)", async () => {
    const held: (() => void)[] = [];
    const server = await aServer((received, response) => {
      held.push(() => void likeVllm(received, response));
    });
    const sampler = aSampler(server, { maxConcurrency: 2, maxQueue: 2 });
    const controller = new AbortController();
    const first = [sampler.generate(request), sampler.generate(request)];
    const third = sampler.generate(request, controller.signal);
    const fourth = sampler.generate(request);
    expect((await failure(sampler.generate(request))).code).toBe("QUEUE_FULL");
    controller.abort(new Error("no more"));
    await expect(third).rejects.toThrow("no more");
    await server.until(() => server.received.length === 2);
    for (const answer of held.splice(0)) answer();
    await Promise.all(first);
    await server.until(() => server.received.length === 3);
    for (const answer of held.splice(0)) answer();
    expect((await fourth).tokenIds).toHaveLength(4);
    expect(server.mostRunning).toBe(2);
  });

  it("carry the session's name in the headers, the same for one episode", async () => {
    const server = await aServer(likeVllm);
    const episode = aSampler(server, { headers: { "x-team": "memory" } }).session("episode-1");
    await episode.generate(request);
    await episode.generate(request);
    for (const { headers } of server.received) {
      expect(headers).toMatchObject({
        "x-session-id": "episode-1",
        "x-smg-routing-key": "episode-1",
        "x-team": "memory",
      });
    }
  });

  it("send the API key and show it nowhere (HTTPCLIENT-4)", async () => {
    const apiKey = "sk-secret-1234";
    const server = await aServer((received, response) =>
      json({ error: { message: `bad key ${received.headers.authorization}` } }, 401)(received, response),
    );
    const sampler = aSampler(server, { apiKey });
    const error = await failure(sampler.generate(request));
    expect(server.received[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(error.message).toMatch(/bad key Bearer \*\*\*/);
    expect(inspect([error, sampler], { depth: 9, showHidden: true })).not.toContain(apiKey);
  });

  it("name a server that is not there", async () => {
    const server = await ModelServer.start(likeVllm);
    const { url } = server;
    await server.stop();
    const sampler = new HttpSampler({ url, kind: "vllm", maxAttempts: 2 }, aClock());
    onTestFinished(() => sampler.close());
    const error = await failure(sampler.generate(request));
    expect(error.message).toMatch(/UNREACHABLE.*ECONNREFUSED.*check that the server runs/);
  });

  it("end with the sampler: running and waiting ones with CLOSED, later ones too (SEMAPHORE-4)", async () => {
    const server = await aServer(hang);
    const sampler = aSampler(server, { maxConcurrency: 1 });
    const running = failure(sampler.generate(request));
    await server.until(() => server.running === 1);
    const waiting = failure(sampler.generate(request));
    await Promise.all([sampler.close(), sampler.close()]);
    expect((await waiting).code).toBe("CLOSED");
    expect((await running).code).toBe("CLOSED");
    expect((await failure(sampler.generate(request))).code).toBe("CLOSED");
  });
});

describe("settings", () => {
  it("that are wrong are named", () => {
    const make = (config: object) => () => new HttpSampler(config as HttpSamplerConfig);
    expect(make({ url: "nowhere", kind: "vllm" })).toThrow(/CONFIG_INVALID.*url/);
    expect(make({ url: "http://me:pass@host", kind: "vllm" })).toThrow(/give the key as apiKey/);
    expect(make({ url: "http://host", kind: "vllm", retries: 3 })).toThrow(/retries/);
    expect(make({ url: "http://host", kind: "openai" })).toThrow(/NOT_TRAINABLE.*text without token ids/);
  });
});

describe("loading weights", () => {
  const weights = { path: "/runs/1/weights-3", policyVersion: 3, weightsHash: "abc" };

  it("pauses vLLM, reloads, forgets old prefixes and goes on; results name the new weights", async () => {
    const server = await aServer((received, response) =>
      (received.path === "/v1/completions" ? likeVllm : json({}))(received, response),
    );
    const sampler = aSampler(server);
    await sampler.reloadWeights(weights);
    expect(server.received.map(({ path }) => path)).toEqual([
      "/pause?mode=wait",
      "/collective_rpc",
      "/reset_prefix_cache",
      "/resume",
    ]);
    expect(server.received[1]?.body).toEqual({
      method: "reload_weights",
      kwargs: { weights_path: weights.path },
    });
    expect(await sampler.generate(request)).toMatchObject({ policyVersion: 3, weightsHash: "abc" });
  });

  it("lets vLLM go on also after a failure, and keeps the old version", async () => {
    const server = await aServer(json({}));
    server.next(json({}), json({ detail: "no such folder" }, 400));
    const sampler = aSampler(server);
    expect((await failure(sampler.reloadWeights(weights))).message).toMatch(/no such folder/);
    expect(server.received.at(-1)?.path).toBe("/resume");
    expect(sampler.policyVersion).toBe(0);
  });

  it("of a vLLM without its development endpoints says how to start it", async () => {
    const server = await aServer(json({ detail: "Not Found" }, 404));
    const error = await failure(aSampler(server).reloadWeights(weights));
    expect(error.message).toMatch(/UNSUPPORTED.*VLLM_SERVER_DEV_MODE=1/);
  });

  it("names the weights to SGLang and holds its answers to the name", async () => {
    const server = await aServer((received, response) =>
      (received.path === "/generate" ? likeSglang : json({ success: true, message: "ok" }))(
        received,
        response,
      ),
    );
    const sampler = aSampler(server, { kind: "sglang" });
    await sampler.reloadWeights(weights);
    expect(server.received[0]).toMatchObject({
      path: "/update_weights_from_disk",
      body: { model_path: weights.path, weight_version: "3" },
    });
    // This request continues with the weights that it had.
    expect((await failure(sampler.generate(request))).message).toMatch(/weights "default", but "3"/);
    server.next(json({ success: false, message: "shapes differ" }));
    const error = await failure(sampler.reloadWeights({ ...weights, policyVersion: 4 }));
    expect(error.message).toMatch(/REFUSED.*shapes differ/);
    expect(sampler.policyVersion).toBe(3);
  });

  it("is held to have failed where vLLM keeps the old prefixes", async () => {
    const server = await aServer((received, response) =>
      json({ success: received.path !== "/reset_prefix_cache" })(received, response),
    );
    const sampler = aSampler(server);
    expect((await failure(sampler.reloadWeights(weights))).message).toMatch(/SERVER_FAILED.*old weights/);
    expect(sampler.policyVersion).toBe(0);
    expect(server.received.at(-1)?.path).toBe("/resume");
  });

  it("tells one process of a server from the next, where its metrics do", async () => {
    const page =
      (text: string, status = 200): Answer =>
      (_, response) => {
        response.writeHead(status, { "content-type": "text/plain" });
        response.end(text);
      };
    const server = await aServer(page("# HELP x\nprocess_start_time_seconds 1.7e9\n"));
    const sampler = aSampler(server);
    expect(await sampler.serverProcess()).toBe("1.7e9");
    server.next(page('process_start_time_seconds{engine="0"} 1.8e9\n'));
    expect(await sampler.serverProcess()).toBe("1.8e9");
    server.next(page("no such page", 404));
    expect(await sampler.serverProcess()).toBeUndefined();
  });

  it("is not possible with llama.cpp", async () => {
    const server = await aServer(likeLlamaCpp);
    const error = await failure(aSampler(server, { kind: "llamacpp" }).reloadWeights(weights));
    expect(error.message).toMatch(/UNSUPPORTED.*restart it/);
  });

  it("waits for running requests and holds later ones (HTTPSAMPLER-2, SEMAPHORE-1)", async () => {
    let answerFirst = () => {};
    const server = await aServer((received, response) =>
      (received.path === "/v1/completions" ? likeVllm : json({}))(received, response),
    );
    server.next((received, response) => {
      answerFirst = () => void likeVllm(received, response);
    });
    const sampler = aSampler(server);
    const before = sampler.generate(request);
    await server.until(() => server.received.length === 1);
    const load = sampler.reloadWeights(weights);
    const after = sampler.generate(request);
    answerFirst();
    expect((await before).policyVersion).toBe(0);
    await load;
    expect((await after).policyVersion).toBe(3);
    expect(server.received.map(({ path }) => path).at(-1)).toBe("/v1/completions");
    expect(server.received.filter(({ path }) => path === "/pause?mode=wait")).toHaveLength(1);
  });

  it("in flight stops running requests, which go on with the new weights and say so (HTTPSAMPLER-2)", async () => {
    const server = await aServer((received, response) =>
      (received.path === "/v1/completions" ? likeVllm : json({}))(received, response),
    );
    let resume = () => {};
    const resumed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const piece = (id: number, finish: string | null) => {
      const logprobs = { tokens: [`token_id:${id}`], token_logprobs: [logprobOf(id)] };
      return `data: ${JSON.stringify({ choices: [{ token_ids: [id], logprobs, finish_reason: finish }] })}\n\n`;
    };
    server.next(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(piece(13, null) + piece(14, null));
      await resumed;
      response.end(`${piece(15, null)}${piece(16, "length")}data: [DONE]\n\n`);
    });
    const sampler = aSampler(server, { weightUpdates: "in-flight" });
    let came = () => {};
    const twoCame = new Promise<void>((resolve) => {
      came = resolve;
    });
    const seen: number[] = [];
    const onTokens = (ids: readonly number[]) => {
      seen.push(...ids);
      if (seen.length === 2) came();
    };
    const running = sampler.generate({ ...request, onTokens });
    await twoCame;
    await sampler.reloadWeights(weights);
    expect(server.received.slice(1).map(({ path }) => path)).toEqual([
      "/pause?mode=keep&clear_cache=false",
      "/collective_rpc",
      "/reset_prefix_cache?reset_running_requests=true",
      "/resume",
    ]);
    resume();
    expect(await running).toMatchObject({
      tokenIds: [13, 14, 15, 16],
      policyVersion: 0,
      versionRuns: [
        { policyVersion: 0, tokens: 2 },
        { policyVersion: 3, tokens: 2 },
      ],
      weightsHash: "abc",
    });
    const later = await sampler.generate(request);
    expect([later.policyVersion, later.versionRuns]).toEqual([3, undefined]);
  });

  it("in flight that fails leaves no result of what ran meanwhile, and the next one is done after it", async () => {
    const server = await aServer((received, response) =>
      (received.path === "/v1/completions" ? likeVllm : json({}))(received, response),
    );
    const sampler = aSampler(server, { weightUpdates: "in-flight", maxAttempts: 1 });
    server.next(json({}), json({ detail: "half of the layers are loaded" }, 500));
    const [first, second] = [
      failure(sampler.reloadWeights(weights)),
      sampler.reloadWeights({ ...weights, policyVersion: 5 }),
    ];
    expect((await first).code).toBe("SERVER_FAILED");
    await second;
    expect(server.received.filter(({ path }) => path === "/resume")).toHaveLength(2);
    expect((await sampler.generate(request)).policyVersion).toBe(5);
    const other = { url: server.url, kind: "sglang", weightUpdates: "in-flight" } as const;
    expect(() => new HttpSampler(other)).toThrow(/CONFIG_INVALID.*weightUpdates.*sglang.*drained/);
  });

  it("that failed half-way leaves no results under an old name, until a load succeeds", async () => {
    const server = await aServer((received, response) =>
      (received.path === "/v1/completions" ? likeVllm : json({}))(received, response),
    );
    const sampler = aSampler(server, { maxAttempts: 1 });
    await sampler.reloadWeights(weights);
    server.next(json({}), json({ detail: "half of the layers are loaded" }, 500));
    expect((await failure(sampler.reloadWeights(weights))).code).toBe("SERVER_FAILED");
    expect((await failure(sampler.generate(request))).code).toBe("OTHER_WEIGHTS");
    await sampler.reloadWeights({ ...weights, policyVersion: 5 });
    expect((await sampler.generate(request)).policyVersion).toBe(5);
  });

  it("has a deadline of its own, longer than that of requests", async () => {
    const server = await aServer(hang);
    const sampler = aSampler(server, { attemptTimeoutMs: 600_000, loadTimeoutMs: 20, maxAttempts: 1 });
    const error = await failure(sampler.reloadWeights(weights));
    expect(error.message).toMatch(/TIMEOUT.*loadTimeoutMs 20/);
  });
});

describe("loading adapters", () => {
  const adapters = (policyVersion: number) => ({
    name: `policy-${policyVersion}`,
    path: `/runs/1/adapters-${policyVersion}`,
    policyVersion,
    weightsHash: `hash-${policyVersion}`,
  });
  const asAsked: Answer = (received, response) => {
    if (received.path === "/v1/completions") return likeVllm(received, response);
    if (received.path === "/generate") return likeSglang(received, response);
    // vLLM says it in words.
    response.end("Success: LoRA adapter added successfully.");
  };

  it("waits for nothing: each request is sampled by the version that it names, and old ones are dropped", async () => {
    const server = await aServer(asAsked);
    const sampler = aSampler(server);
    await sampler.loadAdapters(adapters(1));
    let answerFirst = () => {};
    server.next((received, response) => {
      answerFirst = () => void likeVllm(received, response);
    });
    const before = sampler.generate(request);
    await server.until(() => server.received.length === 2);
    await sampler.loadAdapters(adapters(2));
    expect(await sampler.generate(request)).toMatchObject({ policyVersion: 2, weightsHash: "hash-2" });
    const dropped = () => server.received.filter(({ path }) => path === "/v1/unload_lora_adapter");
    expect(dropped()).toEqual([]);
    answerFirst();
    expect(await before).toMatchObject({ policyVersion: 1, weightsHash: "hash-1" });
    await server.until(() => dropped().length === 1);
    expect(dropped()[0]?.body).toEqual({ lora_name: "policy-1" });
    expect(server.received[0]).toMatchObject({
      path: "/v1/load_lora_adapter",
      body: { lora_name: "policy-1", lora_path: "/runs/1/adapters-1" },
    });
    const named = server.received.filter(({ path }) => path === "/v1/completions");
    expect(named.map(({ body }) => (body as { model: string }).model)).toEqual(["policy-1", "policy-2"]);
  });

  it("is noticed to be lost, when the server was restarted", async () => {
    const server = await aServer(asAsked);
    const sampler = aSampler(server, { maxAttempts: 1 });
    await sampler.loadAdapters(adapters(1));
    server.next(json({ error: { message: "The model `policy-1` does not exist." } }, 404));
    expect((await failure(sampler.generate(request))).message).toMatch(/OTHER_WEIGHTS.*"policy-1"/);
  });

  it("names them to SGLang, and says what a server without the endpoint needs", async () => {
    const server = await aServer(asAsked);
    const sampler = aSampler(server, { kind: "sglang" });
    await sampler.loadAdapters(adapters(1));
    await sampler.generate(request);
    expect(server.received.map(({ path }) => path)).toEqual(["/load_lora_adapter", "/generate"]);
    expect(server.received[1]?.body).toMatchObject({ lora_path: "policy-1" });
    const without = await aServer(json({ detail: "Not Found" }, 404));
    const error = await failure(aSampler(without).loadAdapters(adapters(1)));
    expect(error.message).toMatch(/UNSUPPORTED.*VLLM_ALLOW_RUNTIME_LORA_UPDATING/);
  });
});
