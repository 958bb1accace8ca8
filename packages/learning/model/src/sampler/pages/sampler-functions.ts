import { entry, type JitFunction, type StateSpec, type TensorSpec, type Tensors, tf } from "@palimpsest/jit";
import type { ModelConfig } from "../../base/config.js";
import { wholeTiles } from "../calls/row-tile.js";
import { type Drawn, drawTokens } from "../draw/draw.js";
import { named, pageLogits, part } from "../weights/packed-layers.js";
import { isMatrix, packedShapes, pagesLayout, runsAsLoop } from "../weights/packed-weights.js";
import type { DecodeShape, ReadShape, VerifyShape } from "./call-shapes.js";
import { type Decoded, decodeSteps } from "./decode-steps.js";
import { type CacheShape, cacheState, readCache, writeCache, writeSteps } from "./kv-cache.js";
import { type Memory, memoriesOf, stackOf } from "./layer-walk.js";
import { type PromptPieces, promptPass } from "./prompt-pass.js";
import { ropeState } from "./rope-state.js";

/** Products of fewer rows take about as long, because each lane reads all weights. */
const leastTokensOfLane = { unrolled: 16, loop: 8 } as const;

/** State shared by the functions of one sampler: weights, rotary tables, cache, the last logits at each number of rows. */
export function samplerState(
  config: ModelConfig,
  cache: CacheShape,
  maxLength: number,
  rowCounts: readonly number[],
  stored: "float32" | "bfloat16",
  cached: "float32" | "bfloat16",
): Record<string, StateSpec> {
  // The head keeps float32 even if keys and values do not, see wideProducts.
  const head = config.tieWordEmbeddings ? "embedding" : "head";
  const typeOf = (name: string) => (name === head && cached === "bfloat16" ? "float32" : stored);
  const weights = Object.entries(packedShapes(config, pagesLayout(config, cached === "bfloat16"))).map(
    ([name, shape]) =>
      [name, { ...float32(shape), ...(isMatrix(name) ? { stored: typeOf(name) } : {}) }] as const,
  );
  const logits = rowCounts.map((rows) => [logitsName(rows), float32([rows, config.vocabSize])] as const);
  return {
    ...Object.fromEntries(weights),
    ...ropeState(config, maxLength),
    ...cacheState(config, cache, cached),
    ...Object.fromEntries(logits),
  };
}

/**
 * Reads pieces of prompts and samples the token after each; the sample of a piece that is not the last is ignored.
 * Inputs: ids int32 [R, C] right-padded; lengths int32 [R] ≥ 1; targets int32 [R, C, 2], page and offset of each token;
 * uniforms float32 [1, R]; inverseTemperature float32 [R]; with a past also pages int32 [R, P] and pastLengths int32 [R].
 * Outputs: as `drawnOutputs`, one step.
 */
export function readFunction(
  config: ModelConfig,
  cache: CacheShape,
  shape: ReadShape,
  {
    lanes,
    headTile,
  }: {
    readonly lanes: number /** Rows of the head are padded to a multiple of it. */;
    readonly headTile: number;
  },
): JitFunction {
  const { rows, length, pastPages } = shape;
  const body = (state: Tensors, inputs: Tensors) => {
    const read = lanesOf(rows, length, lanes, config).map(({ first, count }) => {
      const own = (name: string, axis = 0) => part(named(inputs, name), axis, first, count);
      const pieces: PromptPieces = {
        ids: own("ids"),
        lengths: own("lengths"),
        ...(pastPages === 0
          ? {}
          : {
              past: {
                lengths: own("pastLengths"),
                memory: readCache(state, own("pages"), cache, config),
                size: pastPages * cache.pageLength,
              },
            }),
      };
      const pass = promptPass(state, pieces, config);
      const headRows = wholeTiles(count, headTile);
      const logits = pageLogits(state, padRows(pass.last, headRows), config);
      const uniforms = padRows(own("uniforms", 1).reshape([count]), headRows);
      // Rows without a request draw at 0 from weights that are all 1, so that nothing is divided by their temperature of 0.
      const drawn = drawTokens(logits, uniforms, padRows(own("inverseTemperature"), headRows));
      return {
        drawn: [
          {
            tokens: firstRows(drawn.tokens, count),
            logprobs: firstRows(drawn.logprobs, count),
            sampledLogprobs: firstRows(drawn.sampledLogprobs, count),
          },
        ],
        logits: firstRows(logits, count),
        memory: pass.memory,
      };
    });
    const { drawn, logits, memory } = joinRows(read);
    const written = writeCache(state, memory, named(inputs, "targets"), cache, config);
    return { outputs: drawnOutputs(drawn), state: { ...written, [logitsName(rows)]: logits } };
  };
  return {
    inputs: {
      ids: int32([rows, length]),
      lengths: int32([rows]),
      targets: int32([rows, length, 2]),
      ...drawInputs(rows, 1),
      ...(pastPages === 0 ? {} : { pages: int32([rows, pastPages]), pastLengths: int32([rows]) }),
    },
    body,
  };
}

/**
 * Samples the next `steps` tokens of requests that have read their prompts.
 * Inputs: ids int32 [R], each row's last token; positions int32 [R], its position; pages int32 [R, P]; targets int32
 * [R, steps, 2], where the entries of `ids` and the tokens sampled after it go; uniforms, inverseTemperature as above.
 * Outputs: as `drawnOutputs`.
 */
export function decodeFunction(
  config: ModelConfig,
  cache: CacheShape,
  shape: DecodeShape,
  { lanes, writes }: { readonly lanes: number /** See `DecodeStart`. */; readonly writes: boolean },
): JitFunction {
  const { rows, steps, pastPages } = shape;
  const body = (state: Tensors, inputs: Tensors) => {
    const parts = lanesOf(rows, 1, lanes, config);
    const decoded = parts.map(({ first, count }) => {
      const own = (name: string, axis = 0) => part(named(inputs, name), axis, first, count);
      const start = {
        ids: own("ids"),
        positions: own("positions"),
        past: readCache(state, own("pages"), cache, config),
        pastLength: pastPages * cache.pageLength,
        uniforms: own("uniforms", 1),
        inverseTemperature: own("inverseTemperature"),
        writes,
      };
      return decodeSteps(state, start, steps, config);
    });
    const { drawn, logits, memory } = joinRows(decoded);
    const targets = named(inputs, "targets");
    let written: Record<string, tf.Tensor> = {};
    if (!writes) written = writeCache(state, memory, targets, cache, config);
    else
      parts.forEach(({ first, count }, lane) => {
        const own = part(targets, 0, first, count);
        written = writeSteps({ ...state, ...written }, entry(decoded, lane).entries, own, cache, config);
      });
    // Only a draw on the host reads logits, and it goes token by token.
    const kept = steps === 1 ? { [logitsName(rows)]: logits } : {};
    return { outputs: drawnOutputs(drawn), state: { ...written, ...kept } };
  };
  return {
    inputs: {
      ids: int32([rows]),
      positions: int32([rows]),
      pages: int32([rows, pastPages]),
      targets: int32([rows, steps, 2]),
      ...drawInputs(rows, steps),
    },
    body,
  };
}

/**
 * Samples one token after a request's last token and after each guess of what follows it: the first is always valid, each
 * further one if all guesses before it were sampled. For models that run as a loop.
 * Inputs: ids int32 [1, C], right-padded; lengths int32 [1]; targets int32 [1, C, 2]; pages int32 [1, P]; pastLengths int32 [1];
 * uniforms float32 [C, 1]; inverseTemperature float32 [1]. Outputs: as `drawnOutputs`, C steps.
 */
export function verifyFunction(config: ModelConfig, cache: CacheShape, shape: VerifyShape): JitFunction {
  const { length, pastPages } = shape;
  const body = (state: Tensors, inputs: Tensors) => {
    const pass = promptPass(
      state,
      {
        ids: named(inputs, "ids"),
        lengths: named(inputs, "lengths"),
        past: {
          lengths: named(inputs, "pastLengths"),
          memory: readCache(state, named(inputs, "pages"), cache, config),
          size: pastPages * cache.pageLength,
        },
      },
      config,
    );
    const logits = pageLogits(state, pass.all as tf.Tensor, config);
    const temperatures = named(inputs, "inverseTemperature").tile([length]);
    const drawn = drawTokens(logits, named(inputs, "uniforms").reshape([length]), temperatures);
    const { tokens, logprobs, sampledLogprobs } = drawn;
    return {
      outputs: { tokens, logprobs, sampledLogprobs },
      state: writeCache(state, pass.memory, named(inputs, "targets"), cache, config),
    };
  };
  return {
    inputs: {
      ids: int32([1, length]),
      lengths: int32([1]),
      targets: int32([1, length, 2]),
      pages: int32([1, pastPages]),
      pastLengths: int32([1]),
      ...drawInputs(1, length),
    },
    body,
  };
}

/** Copies entries of some pages to the host. Inputs: pages int32 [1, P]. Outputs: keys and values float32 [L, KV, P·pageLength, hd]. */
export function readEntriesFunction(config: ModelConfig, cache: CacheShape, pages: number): JitFunction {
  return {
    inputs: { pages: int32([1, pages]) },
    body: (state, inputs) => {
      const { keys, values } = stackOf(readCache(state, named(inputs, "pages"), cache, config), config);
      return { outputs: { keys, values }, state: {} };
    },
  };
}

/**
 * Writes entries from the host. Inputs: keys and values float32 [L, KV, length, hd]; targets int32 [1, length, 2], page and offset of each token.
 */
export function writeEntriesFunction(config: ModelConfig, cache: CacheShape, length: number): JitFunction {
  const { layers, kvHeads, headDim } = config;
  const entries = float32([layers, kvHeads, length, headDim]);
  return {
    inputs: { keys: entries, values: entries, targets: int32([1, length, 2]) },
    body: (state, inputs) => {
      const memories = memoriesOf({ keys: named(inputs, "keys"), values: named(inputs, "values") }, config);
      return { outputs: {}, state: writeCache(state, memories, named(inputs, "targets"), cache, config) };
    },
  };
}

/** Lanes share nothing, so that small operations of one fill the gaps between large operations of another. */
function lanesOf(
  rows: number,
  tokensOfRow: number,
  lanes: number,
  config: ModelConfig,
): { readonly first: number; readonly count: number }[] {
  const least = runsAsLoop(config)
    ? Math.ceil(leastTokensOfLane.loop / tokensOfRow)
    : leastTokensOfLane.unrolled;
  const most = Math.min(lanes, Math.floor(rows / least));
  const share = Math.ceil(rows / Math.max(1, most));
  return Array.from({ length: Math.ceil(rows / share) }, (_, lane) => ({
    first: lane * share,
    count: Math.min(share, rows - lane * share),
  }));
}

function padRows(x: tf.Tensor, rows: number): tf.Tensor {
  const missing = rows - (x.shape[0] ?? 0);
  return missing === 0
    ? x
    : tf.pad(x, [[0, missing], ...x.shape.slice(1).map((): [number, number] => [0, 0])]);
}

function firstRows(x: tf.Tensor, rows: number): tf.Tensor {
  return x.shape[0] === rows ? x : part(x, 0, 0, rows);
}

/** Concatenates lanes along the rows. */
function joinRows(parts: readonly Omit<Decoded, "entries">[]): Omit<Decoded, "entries"> {
  const [first] = parts as [Decoded];
  if (parts.length === 1) return first;
  const joined = (of: (decoded: (typeof parts)[number]) => tf.Tensor, axis = 0) =>
    tf.concat(parts.map(of), axis);
  /** Rows of a stack [L, n·KV, T, hd] come after its layers. */
  const rowAxis = ({ keys }: Memory) => keys.rank - 3;
  return {
    drawn: first.drawn.map((_, step) => {
      const ofStep = (key: keyof Drawn) => joined(({ drawn }) => entry(drawn, step)[key]);
      return {
        tokens: ofStep("tokens"),
        logprobs: ofStep("logprobs"),
        sampledLogprobs: ofStep("sampledLogprobs"),
      };
    }),
    logits: joined(({ logits }) => logits),
    memory: first.memory.map((one, layer) => ({
      keys: joined(({ memory }) => entry(memory, layer).keys, rowAxis(one)),
      values: joined(({ memory }) => entry(memory, layer).values, rowAxis(one)),
    })),
  };
}

/** Name of the state entry with the logits float32 [rows, V] of the last step of the last call at this number of rows. */
export function logitsName(rows: number): string {
  return `logits.${rows}`;
}

/** tokens int32 [steps, R]; logprobs float32 [steps, R], before temperature; sampledLogprobs, after it. Nats. */
function drawnOutputs(steps: readonly Drawn[]): Record<string, tf.Tensor> {
  return {
    tokens: tf.stack(steps.map(({ tokens }) => tokens)),
    logprobs: tf.stack(steps.map(({ logprobs }) => logprobs)),
    sampledLogprobs: tf.stack(steps.map(({ sampledLogprobs }) => sampledLogprobs)),
  };
}

function drawInputs(rows: number, steps: number): Record<string, TensorSpec> {
  return { uniforms: float32([steps, rows]), inverseTemperature: float32([rows]) };
}

function int32(shape: readonly number[]): TensorSpec {
  return { shape, dtype: "int32" };
}

function float32(shape: readonly number[]): TensorSpec {
  return { shape, dtype: "float32" };
}
