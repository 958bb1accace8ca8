import { describe, expect, test } from "vitest";
import { ModelError } from "../base/error.js";
import { smallConfig } from "../testing/index.js";
import { samplerConfigSchema } from "./draw/request.js";
import { chooseEngine, type Engine, type EngineRequest } from "./engine.js";

const backends = [
  { name: "tensorflow", gpu: false },
  { name: "tensorflow", gpu: true },
  { name: "wasm", gpu: false },
  { name: "cpu", gpu: false },
] as const;
const sizes = { heads: 8, kvHeads: 8, hiddenSize: 512, intermediateSize: 1536, vocabSize: 1024 };
const config = smallConfig({ ...sizes, headDim: 64, layers: 12 });
const modes = ["auto", "eager", "graph", "xla"] as const;

/** Every cell of the table; a row of settings is [cache, batchInvariant, lanes, speculate, singleWeights]. */
function* cells(): Generator<EngineRequest> {
  for (const backend of backends)
    for (const mode of modes)
      for (const precision of ["float32", "bfloat16"] as const)
        for (const layers of [8, 9])
          for (const cache of [undefined, "pages", "slots"] as const)
            for (const [batchInvariant, lanes] of [
              [false, 1],
              [false, 2],
              [true, 1],
            ] as const)
              for (const speculate of [undefined, true, false])
                for (const singleWeights of ["auto", "off", "int8"] as const)
                  yield {
                    backend,
                    mode,
                    precision,
                    config: { ...config, layers },
                    limits: samplerConfigSchema.parse({
                      maxLength: 1024,
                      cache,
                      batchInvariant,
                      lanes,
                      speculate,
                      singleWeights,
                    }),
                  };
}

/** The rules in words, which know of no table: the engine, or the setting that is refused. */
function expected({ backend, mode, precision, config, limits }: EngineRequest): Engine | string {
  const { batchInvariant, lanes, speculate, singleWeights } = limits;
  const isPlain = !batchInvariant && lanes === 1;
  const isXlaOnGpu = backend.gpu && ["auto", "xla"].includes(mode) && precision === "bfloat16";
  if ((limits.cache ?? (isXlaOnGpu && isPlain ? "slots" : "pages")) === "slots") {
    if (singleWeights === "int8") return "singleWeights";
    if (!isPlain) return "cache";
    return { cache: "slots", slots: 64, packs: isXlaOnGpu, speculates: speculate === true };
  }
  const isOnCpu = backend.name === "tensorflow" && !backend.gpu;
  const isGraph = isOnCpu && ["auto", "graph"].includes(mode);
  const isDeep = config.layers > 8;
  const guesses = isOnCpu && isDeep && mode !== "eager" && !batchInvariant;
  if (singleWeights === "int8" && !guesses) return "singleWeights";
  if (speculate === true && !guesses) return "speculate";
  const alone = { auto: precision, off: undefined, int8: "int8" } as const;
  const single = guesses ? alone[singleWeights as keyof typeof alone] : undefined;
  return {
    cache: "pages",
    half: isGraph && precision === "bfloat16",
    writesSteps: isGraph && !isDeep,
    single,
    guessesAlone: single !== undefined && speculate !== false,
    speculates: guesses && single === undefined && (speculate ?? precision === "float32"),
  };
}

function chosen(request: EngineRequest): Engine | string {
  try {
    return chooseEngine(request);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return error.message;
  }
}

const of = (request: Partial<Omit<EngineRequest, "limits">>, limits = {}): EngineRequest => ({
  backend: backends[0],
  mode: "auto",
  precision: "bfloat16",
  config,
  limits: samplerConfigSchema.parse({ maxLength: 1024, ...limits }),
  ...request,
});

describe("the table of engines", () => {
  test("has in every cell an engine, or one reason that names the setting and its need", () => {
    let refused = 0;
    for (const cell of cells()) {
      const [found, wanted] = [chosen(cell), expected(cell)];
      if (typeof wanted !== "string") expect(found).toEqual(wanted);
      else {
        expect(found).toMatch(
          new RegExp(`^\\[CONFIG_INVALID\\] sampler: ${wanted} is \\w+, which needs [^,;]+; [^;]+$`),
        );
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(1000);
  });

  test.each([
    [of({ mode: "eager" }, { speculate: true }), /needs mode graph or xla; set cache to slots, or leave/],
    [of({ backend: backends[1] }, { speculate: true, cache: "pages" }), /needs a CPU/],
    [of({}, { speculate: true, batchInvariant: true }), /needs batchInvariant false; leave speculate out/],
    [of({ backend: backends[2] }, { singleWeights: "int8" }), /needs the tensorflow backend; set it to auto/],
  ])("says the one thing that is missing: %#", (request, message) => {
    expect(chosen(request)).toMatch(message);
  });

  test.each([
    [
      "as many slots as its cache has room for",
      of({ backend: backends[1] }, { cacheTokens: 4096 }),
      { slots: 4 },
    ],
    [
      "no packed prompts at heads wider than the kernel's",
      of({ backend: backends[1], config: { ...config, headDim: 160 } }),
      { packs: false },
    ],
    [
      "no packed prompts at heads that are no multiple of 8",
      of({ backend: backends[1], config: { ...config, headDim: 36 } }),
      { packs: false },
    ],
    [
      "no packed prompts in a table beyond 32 bits",
      of({ backend: backends[1] }, { maxBatch: 32768 }),
      { packs: false },
    ],
    [
      "packed prompts where they are asked for",
      of({}, { cache: "slots", packPrompts: true }),
      { packs: true },
    ],
    [
      "no packed prompts with lengths of their own",
      of({ backend: backends[1] }, { promptLengths: [32], packPrompts: true }),
      { packs: false },
    ],
    [
      "no decoder of its own for a small model",
      of({ config: { ...config, vocabSize: 64, hiddenSize: 64, intermediateSize: 64 } }),
      { single: undefined },
    ],
    [
      "no decoder of its own for sizes off its tiles",
      of({ config: { ...config, intermediateSize: 1530 } }),
      { single: undefined },
    ],
  ])("has %s", (_, request, part) => {
    expect(chosen(request)).toMatchObject(part);
  });
});
