import { describe, expect, it, onTestFinished } from "vitest";
import type { GenerateRequest } from "./generate.js";
import { HttpSampler, type HttpSamplerConfig } from "./http-sampler.js";
import type { ServerKind } from "./server-kind.js";
import { type Answer, json, ModelServer } from "./testing/model-server.js";

type Told = "raw" | "processed" | "logits";

const logits = [2.5, -1, 0.5, 3, -6, 1];
const drawn = 2;

/** Returns the log-softmax of the logits divided by a temperature. */
function logprobsAt(temperature: number): number[] {
  const scaled = logits.map((logit) => logit / temperature);
  const total = Math.log(scaled.reduce((sum, logit) => sum + Math.exp(logit), 0));
  return scaled.map((logit) => logit - total);
}

/** A server whose next token is always the same, with the numbers that such a server reports for it. */
function drawing(kind: ServerKind, told: Told): Answer {
  return (received, response) => {
    const { body } = received;
    const settings = (body["sampling_params"] ?? body) as Record<string, number>;
    const temperature = settings["temperature"] as number;
    const after = kind === "llamacpp" ? body["post_sampling_probs"] === true : told === "processed";
    const numbers = told === "logits" ? logits : logprobsAt(after ? temperature : 1);
    const count = (settings["max_tokens"] ?? settings["max_new_tokens"] ?? settings["n_predict"]) as number;
    const each = <T>(value: T) => Array.from({ length: count }, () => value);
    const own = numbers[drawn] as number;
    const likely = numbers.map((logprob, id) => [logprob, id, null]);
    const name = after ? "prob" : "logprob";
    const reported = (id: number) => ({
      id,
      [name]: after ? Math.exp(numbers[id] ?? 0) : numbers[id],
    });
    const answers = {
      vllm: {
        choices: [
          {
            token_ids: each(drawn),
            finish_reason: "length",
            logprobs: {
              token_logprobs: each(own),
              top_logprobs: each(Object.fromEntries(likely.map(([value, id]) => [`token_id:${id}`, value]))),
            },
          },
        ],
      },
      sglang: {
        meta_info: {
          completion_tokens: count,
          finish_reason: { type: "length" },
          output_token_logprobs: each([own, drawn, null]),
          output_top_logprobs: each(likely),
        },
      },
      llamacpp: {
        tokens: each(drawn),
        tokens_predicted: count,
        stop_type: "limit",
        completion_probabilities: each({
          ...reported(drawn),
          [after ? "top_probs" : "top_logprobs"]: logits.map((_, id) => reported(id)),
        }),
      },
    };
    return json(answers[kind])(received, response);
  };
}

async function aSampler(
  answer: Answer,
  config: Pick<HttpSamplerConfig, "kind" | "originalLogprobs">,
): Promise<{ readonly sampler: HttpSampler; readonly server: ModelServer }> {
  const server = await ModelServer.start(answer);
  const sampler = new HttpSampler({ url: server.url, maxAttempts: 1, ...config });
  onTestFinished(() => server.stop());
  onTestFinished(() => sampler.close());
  return { sampler, server };
}

const request: GenerateRequest = {
  promptTokenIds: [1],
  maxTokens: 2,
  temperature: 0.6,
  stopTokenIds: [],
  seed: 1,
};
const twice = (value: number | undefined) => [
  expect.closeTo(value ?? Number.NaN, 6),
  expect.closeTo(value ?? Number.NaN, 6),
];
const before = { rolloutLogprobs: twice(logprobsAt(1)[drawn]) };
const after = { rolloutLogprobs: [NaN, NaN], sampledLogprobs: twice(logprobsAt(0.6)[drawn]) };

describe("log-probs", () => {
  it.each(["vllm", "sglang", "llamacpp"] as const)(
    "that %s tells after the temperature are found to be those, and told as such (HTTPSAMPLER-4)",
    async (kind) => {
      const { sampler } = await aSampler(drawing(kind, "processed"), { kind });
      expect(await sampler.probeLogprobs()).toBe("processed_logprobs");
      expect(await sampler.generate(request)).toMatchObject(after);
      // Both are the same there, and the model's own.
      const plain = await sampler.generate({ ...request, temperature: 1 });
      expect(plain).toMatchObject(before);
      expect(plain).not.toHaveProperty("sampledLogprobs");
    },
  );

  it.each(["vllm", "sglang"] as const)(
    "that %s tells before it are the model's own (HTTPSAMPLER-4)",
    async (kind) => {
      const { sampler } = await aSampler(drawing(kind, "raw"), { kind });
      expect(await sampler.probeLogprobs()).toBe("raw_logprobs");
      const told = await sampler.generate(request);
      expect(told).toMatchObject(before);
      expect(told).not.toHaveProperty("sampledLogprobs");
    },
  );

  it("that nobody asked about are what each kind of server tells by default", async () => {
    const told = async (kind: ServerKind, originalLogprobs = false) => {
      const means = kind === "sglang" && !originalLogprobs ? "processed" : "raw";
      const { sampler } = await aSampler(drawing(kind, means), { kind, originalLogprobs });
      return await sampler.generate(request);
    };
    expect(await told("vllm")).toMatchObject(before);
    expect(await told("llamacpp")).toMatchObject(before);
    expect(await told("sglang")).toMatchObject(after);
    expect(await told("sglang", true)).toMatchObject(before);
  });

  it("after a truncation are not those that SGLang tells", async () => {
    const { sampler } = await aSampler(drawing("sglang", "processed"), { kind: "sglang" });
    const told = await sampler.generate({ ...request, topP: 0.9 });
    expect(told.rolloutLogprobs).toEqual([NaN, NaN]);
    expect(told).not.toHaveProperty("sampledLogprobs");
    expect(await sampler.generate({ ...request, temperature: 1, topP: 0.9 })).toMatchObject(before);
  });

  it("are refused where they are logits, or where there are none", async () => {
    const { sampler } = await aSampler(drawing("vllm", "logits"), { kind: "vllm" });
    await expect(sampler.probeLogprobs()).rejects.toThrow(/NOT_TRAINABLE.*--logprobs-mode of logits/);
    const silent = await aSampler(json({ tokens: [5], tokens_predicted: 1, stop_type: "limit" }), {
      kind: "llamacpp",
    });
    await expect(silent.sampler.probeLogprobs()).rejects.toThrow(/reports no log-probs of the most likely/);
    // The first is a token within a character, the second a seed with another token.
    const { sampler: second, server } = await aSampler(drawing("llamacpp", "processed"), {
      kind: "llamacpp",
    });
    server.next(json({ tokens: [5], tokens_predicted: 1, stop_type: "limit" }));
    expect(await second.probeLogprobs()).toBe("processed_logprobs");
  });

  it("of llama.cpp's tokens within characters are computed from the whole vocabulary's", async () => {
    const { sampler, server } = await aSampler(drawing("llamacpp", "processed"), { kind: "llamacpp" });
    await sampler.probeLogprobs();
    const silent = { tokens: [drawn], tokens_predicted: 1, stop_type: "limit" };
    const own = logprobsAt(1).map((logprob, id) => ({ id, logprob }));
    server.next(
      json(silent),
      json({ tokens: [0] }),
      json({ completion_probabilities: [{ id: 0, logprob: 0, top_logprobs: own }] }),
    );
    const told = await sampler.generate({ ...request, maxTokens: 1 });
    expect(told.sampledLogprobs).toEqual([expect.closeTo(logprobsAt(0.6)[drawn] ?? NaN, 6)]);
    server.next(json(silent));
    await expect(sampler.generate({ ...request, maxTokens: 1, topP: 0.9 })).rejects.toThrow(/NOT_TRAINABLE/);
  });
});
