import { loadBackend, tf } from "@palimpsest/jit";
import { afterEach, expect, it } from "vitest";
import { initParameters } from "../base/parameters.js";
import { smallConfig } from "../testing/index.js";
import { createSampler, type ModelSamplerOptions } from "./model-sampler.js";

const backend = await loadBackend();

interface Runs {
  runSavedModel: (id: number, inputs: number[], feeds: string, fetches: string) => unknown;
}

let restore = () => {};
/** Every run of the addon fails as XLA's do on a GPU without memory. */
function exhaustMemory(): void {
  const { binding } = tf.backend() as unknown as { binding: Runs };
  const run = binding.runSavedModel;
  binding.runSavedModel = () => {
    throw new Error("Session fail to run with error: Out of memory while trying to allocate 2.50GiB.");
  };
  restore = () => {
    binding.runSavedModel = run;
  };
}
afterEach(() => restore());

const config = smallConfig({ maxPositions: 128 });
const aSampler = (own: Partial<ModelSamplerOptions>) =>
  createSampler({
    backend,
    config,
    parameters: initParameters(config, 1, { projectionStd: 0.2, headStd: 0.2 }),
    maxBatch: 2,
    maxLength: 64,
    ...own,
  });
const prompt = Array.from({ length: 40 }, (_, i) => 1 + ((i * i) % 13));
const request = { promptTokenIds: prompt, maxTokens: 8, temperature: 1, stopTokenIds: [], seed: 3 };
const exhausted = (after: RegExp) =>
  expect.objectContaining({
    code: "MEMORY_EXHAUSTED",
    message: expect.stringMatching(
      new RegExp(
        `for an allocation of 2\\.5 GiB; .* lower cacheTokens \\(128\\), maxBatch \\(2\\), maxLength \\(64.*${after.source}`,
      ),
    ),
  });

it("rejects what runs and waits, and goes on with nothing that was read before (SAMPLER-10)", async () => {
  const sampler = aSampler({ mode: "graph" });
  try {
    const { tokenIds } = await sampler.generate(request);
    exhaustMemory();
    const outcomes = await Promise.allSettled(
      [1, 2, 3, 4].map((seed) => sampler.generate({ ...request, seed })),
    );
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: "rejected", reason: exhausted(/the sampler continues$/) });
    restore();
    const { cachedTokens } = sampler.stats;
    expect((await sampler.generate(request)).tokenIds).toEqual(tokenIds);
    expect(sampler.stats.cachedTokens).toBe(cachedTokens);
    expect((await sampler.generate(request)).tokenIds).toEqual(tokenIds);
    expect(sampler.stats.cachedTokens).toBeGreaterThan(cachedTokens);
  } finally {
    await sampler.close();
  }
});

it.each(["pages", "slots"] as const)(
  "closes where a launch took keys and values with it, and says why (SAMPLER-10): %s",
  async (cache) => {
    const sampler = aSampler({ mode: "xla", cache });
    await sampler.generate({ ...request, maxTokens: 1 });
    exhaustMemory();
    await expect(sampler.generate(request)).rejects.toEqual(
      exhausted(/the sampler is closed.*another process$/),
    );
    restore();
    await expect(sampler.generate(request)).rejects.toMatchObject({
      code: "CLOSED",
      message: expect.stringMatching(/closed by a failure \(\[MEMORY_EXHAUSTED\] .* create another one/),
    });
    await sampler.close();
  },
);

it("is not made where its weights do not fit", () => {
  exhaustMemory();
  expect(() => aSampler({ mode: "graph" })).toThrow(
    /MEMORY_EXHAUSTED\] writing .* lower cacheTokens.*was not created$/,
  );
});
