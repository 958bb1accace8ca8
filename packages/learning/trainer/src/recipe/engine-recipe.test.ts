import { describe, expect, it } from "vitest";
import { mustComeUp } from "./engine-settings.js";
import { parseRecipe } from "./recipe.js";

const recipe = (rollout: string, learner = "", agent = "") =>
  parseRecipe(
    `
name: engines
model: { path: ./base }
agent: { preset: tiny, ${agent} }
data: { source: ruler, ruler: { sentences: 4 } }
learner: { groupSize: 4, buckets: [{ rows: 8, length: 48 }], ${learner} }
rollout: { maxTokens: 64, ${rollout} }
train: { steps: 3 }
`,
    "/recipes",
  );

const two = "addresses: ['http://127.0.0.1:8000', 'http://localhost:8001']";
const vllm = `engine: { kind: vllm, ${two} }`;
const server = "start: { command: vllm, arguments: [serve, '{model}', --port, '{port}'] }";

describe("a recipe with engines", () => {
  it("has a rollout actor for each, and corrects for their log-probs by default", () => {
    const { rollout, learner } = recipe(vllm);
    expect(rollout.actors).toBe(2);
    expect(learner.importance).toEqual({ kind: "tis-token", cap: 2 });
    expect(recipe("").learner.importance).toBeUndefined();
  });

  it("keeps the correction that it names, and none where it says so", () => {
    expect(recipe(vllm, "importance: { kind: none }").learner.importance).toEqual({ kind: "none" });
    expect(recipe(vllm, "importance: { kind: icepop }").learner.importance).toMatchObject({ kind: "icepop" });
    // The ratio is taken to the engine's log-probs there.
    expect(recipe(vllm, "oldLogprobs: rollout").learner.importance).toBeUndefined();
  });

  it("starts its servers, llama.cpp's again for each version", () => {
    expect(recipe(`engine: { kind: vllm, ${server} }`).rollout.actors).toBe(1);
    const prepared =
      "{ command: llama-server, arguments: [-m, '{file}', --port, '{port}'], count: 3, prepare: { command: convert } }";
    expect(recipe(`engine: { kind: llama-cpp, start: ${prepared} }`).rollout.actors).toBe(3);
  });

  it("fails at the start without its only engine, or without one that it starts; others may come later", () => {
    const needs = (engine: string) => {
      const { rollout } = recipe(engine);
      return rollout.engine !== undefined && mustComeUp(rollout.engine);
    };
    expect(needs(vllm)).toBe(false);
    expect(needs("engine: { kind: vllm, addresses: ['http://127.0.0.1:8000'] }")).toBe(true);
    expect(needs(`engine: { kind: vllm, ${server.replace(" }", ", count: 2 }")} }`)).toBe(true);
  });

  it("may sample at a temperature, and without truncation alone", () => {
    expect(recipe(`temperature: 0.6, ${vllm}`).rollout.temperature).toBe(0.6);
    expect(() => recipe(vllm, "", "settings: { topP: 0.9 }")).toThrow(
      /agent\.settings\.topP: is 0\.9.*set it to 1/,
    );
  });

  it.each<[what: string, rollout: string, said: RegExp]>([
    [
      "an OpenAI-like server",
      `engine: { kind: openai, ${two} }`,
      /engine\.kind.*no token ids.*cannot be trained on/,
    ],
    ["neither addresses nor start", "engine: { kind: vllm }", /exactly one of addresses.* and start/],
    ["both", `engine: { kind: vllm, ${two}, ${server} }`, /exactly one of addresses.* and start/],
    ["llama.cpp that is not its own", `engine: { kind: llama-cpp, ${two} }`, /engine\.load: is restart/],
    [
      "servers elsewhere without a folder that both see",
      "engine: { kind: sglang, addresses: ['http://gpu1.lan:30000'] }",
      /engine\.weightsDir.*gpu1\.lan.*another machine/,
    ],
    [
      "a server without a port",
      "engine: { kind: vllm, start: { command: vllm, arguments: [serve, '{model}'] } }",
      /engine\.start\.arguments.*\{port\} is missing/,
    ],
    [
      "a file that nothing makes",
      "engine: { kind: llama-cpp, start: { command: s, arguments: ['{file}', '{port}'] } }",
      /\{file\} is the file that prepare makes/,
    ],
    ["a number of actors", `actors: 4, ${vllm}`, /rollout\.actors: 4 has no effect/],
    ["a batch of our own sampler", `maxBatch: 8, ${vllm}`, /rollout\.maxBatch: 8 has no effect/],
    [
      "weights in flight of SGLang",
      `weightUpdates: in-flight, engine: { kind: sglang, ${two} }`,
      /rollout\.weightUpdates: is in-flight.*kind sglang.*set it to drained/,
    ],
    [
      "staged weights",
      `weightUpdates: staged, ${vllm}`,
      /rollout\.weightUpdates: is staged.*set it to in-flight/,
    ],
    [
      "log-probs before a temperature",
      `temperature: 0.6, engine: { kind: sglang, originalLogprobs: true, ${two} }`,
      /originalLogprobs: is true, but with rollout\.temperature 0\.6/,
    ],
  ])("refuses %s", (_, rollout, said) => {
    expect(() => recipe(rollout)).toThrow(said);
  });
});
