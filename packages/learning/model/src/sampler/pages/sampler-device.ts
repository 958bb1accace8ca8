import {
  type Backend,
  entry,
  type FunctionStats,
  type HostArray,
  type JitFunction,
  type JitMode,
  type JitModule,
  type JitPrecision,
  jit,
} from "@palimpsest/jit";
import type { ModelConfig } from "../../base/config.js";
import type { LoraConfig } from "../../base/lora.js";
import type { HeldParameters } from "../../base/parameters.js";
import { passCosts } from "../../single/layout.js";
import type { Entries } from "../../single/single-decoder.js";
import type { WeightFormat } from "../../single/tiles.js";
import { rowTile } from "../calls/row-tile.js";
import type { DeviceRow, SampledRow, SamplingDevice } from "../calls/sampling-device.js";
import { drawUniform, greedyInverseTemperature } from "../draw/draw.js";
import { type DrawRule, drawTruncated, needsHost } from "../draw/truncation.js";
import { SingleRequest, type SingleRequestHost } from "../single/single-request.js";
import { AdaptedWeights } from "../weights/adapted-weights.js";
import { packedWeights, pagesLayout, type WeightLayout } from "../weights/packed-weights.js";
import { writeInParts } from "../weights/write-weights.js";
import {
  type CallShapes,
  type DecodeShape,
  pageLength,
  type ReadShape,
  type VerifyShape,
} from "./call-shapes.js";
import { zeroPage } from "./kv-cache.js";
import { ropeValues } from "./rope-state.js";
import {
  decodeFunction,
  logitsName,
  readEntriesFunction,
  readFunction,
  samplerState,
  verifyFunction,
  writeEntriesFunction,
} from "./sampler-functions.js";

const ZERO_PAGE = "zeroPage";
const READ_ENTRIES = "readEntries";
const WRITE_ENTRIES = "writeEntries";
/** Number of pages copied at a time between the cache and the single-request decoder. */
const entryPages = 8;
const entryTokens = entryPages * pageLength;

export interface DeviceOptions {
  readonly backend: Backend;
  readonly mode: "auto" | JitMode;
  readonly config: ModelConfig;
  readonly shapes: CallShapes;
  /** Number of pages available to requests. */
  readonly pages: number;
  readonly maxLength: number;
  readonly precision: JitPrecision;
  /** Keys and values are stored in bfloat16. */
  readonly half: boolean;
  /** A sampling call writes what it computes into its copy of the cache. */
  readonly writesSteps: boolean;
  readonly lanes: number;
  /** SAMPLER-9. Default false. */
  readonly batchInvariant?: boolean;
  /** The weight format of the single-request decoder. */
  readonly single?: WeightFormat | undefined;
  /** Whether that decoder is given guesses. */
  readonly guessesAlone?: boolean;
  /** Set if the policy is adapters over weights. */
  readonly lora?: LoraConfig | undefined;
}

/**
 * The compiled functions of a sampler at their shapes, and the cache and weights they share. It is independent of queues,
 * stops and promises. Calls are synchronous.
 */
export class SamplerDevice implements SamplingDevice {
  readonly #module: JitModule;
  readonly #config: ModelConfig;
  readonly #maxLength: number;
  readonly #sparePage: number;
  readonly #shapes: CallShapes;
  readonly #adapted: AdaptedWeights | undefined;
  readonly #single: SingleRequest | undefined;
  readonly #layout: WeightLayout;
  readonly passCosts: readonly number[] | undefined;

  constructor({
    backend,
    mode,
    config,
    shapes,
    pages,
    maxLength,
    precision,
    half,
    writesSteps,
    lanes,
    batchInvariant,
    lora,
    single,
    guessesAlone = false,
  }: DeviceOptions) {
    this.#config = config;
    this.#layout = pagesLayout(config, half);
    this.#shapes = shapes;
    this.#maxLength = maxLength;
    this.#sparePage = pages;
    this.passCosts = guessesAlone && single !== undefined ? passCosts[single] : undefined;
    const cache = { pages: pages + 1, pageLength };
    const functions: Record<string, JitFunction> = {};
    for (const shape of shapes.reads)
      functions[readName(shape)] = readFunction(config, cache, shape, {
        lanes,
        headTile: batchInvariant ? rowTile : 1,
      });
    for (const shape of shapes.decodes)
      functions[decodeName(shape)] = decodeFunction(config, cache, shape, { lanes, writes: writesSteps });
    for (const shape of shapes.verifies) functions[verifyName(shape)] = verifyFunction(config, cache, shape);
    functions[ZERO_PAGE] = {
      inputs: { targets: { shape: [1, pageLength, 2], dtype: "int32" } },
      body: (entries, inputs) => ({
        outputs: {},
        state: zeroPage(entries, entry(inputs, "targets"), cache, config),
      }),
    };
    if (single !== undefined) {
      functions[READ_ENTRIES] = readEntriesFunction(config, cache, entryPages);
      functions[WRITE_ENTRIES] = writeEntriesFunction(config, cache, entryTokens);
      this.#single = new SingleRequest({ config, format: single, maxLength }, this.#host());
    }
    this.#adapted = lora && new AdaptedWeights({ config, lora, layout: this.#layout, stored: precision });
    Object.assign(functions, this.#adapted?.functions);
    const cached = half ? "bfloat16" : "float32";
    const state = {
      ...samplerState(config, cache, maxLength, shapes.rowCounts, precision, cached),
      ...this.#adapted?.state,
    };
    this.#module = jit({ backend, mode, state, functions, precision });
    this.#module.writeState(ropeValues(config, maxLength));
  }

  get mode(): JitMode {
    return this.#module.mode;
  }

  get functionStats(): Readonly<Record<string, FunctionStats>> {
    return this.#module.stats;
  }

  *writeWeights(parameters: HeldParameters): Generator<undefined> {
    this.#single?.forgetWeights();
    if (this.#adapted) yield* this.#adapted.writeWeights(this.#module, parameters);
    else yield* writeInParts(this.#module, packedWeights(this.#config, parameters, this.#layout));
  }

  writeAdapters(adapters: Readonly<Record<string, Float32Array>>): void {
    this.#single?.forgetWeights();
    this.#adapted?.writeAdapters(this.#module, adapters);
  }

  /** Truncation and the most likely tokens need the whole distribution. */
  needsHost(rule: DrawRule): boolean {
    return needsHost(rule);
  }

  /**
   * Reads a piece of each row's prompt, padded to `length`, and samples one token for each. Either all rows have a past
   * or none has.
   */
  read(rows: readonly DeviceRow[], length: number): SampledRow[] {
    this.#single?.flush();
    const shape = this.#shapes.readShape(rows.length, length, Math.max(...rows.map(({ past }) => past)));
    const ids = new Int32Array(shape.rows * length);
    const lengths = new Int32Array(shape.rows).fill(1);
    rows.forEach(({ tokenIds }, i) => {
      ids.set(tokenIds, i * length);
      lengths[i] = tokenIds.length;
    });
    const targets = this.#targets(rows, shape.rows, length, ({ tokenIds }) => tokenIds.length);
    const past =
      shape.pastPages === 0
        ? {}
        : {
            pages: this.#pages(rows, shape.rows, shape.pastPages),
            pastLengths: pastLengths(rows, shape.rows),
          };
    const inputs = { ids, lengths, targets, ...drawInputs(rows, shape.rows, 1), ...past };
    return this.#sampled(this.#module.call(readName(shape), inputs), rows, shape.rows, 1);
  }

  /** Samples `steps` tokens for each row. A row's entries beyond its pages are lost. */
  decode(rows: readonly DeviceRow[], steps: number): SampledRow[] {
    this.#single?.flush();
    const shape = this.#shapes.decodeShape(rows.length, steps, Math.max(...rows.map(({ past }) => past)));
    const ids = new Int32Array(shape.rows);
    rows.forEach(({ tokenIds }, i) => {
      ids[i] = tokenIds[0] as number;
    });
    const inputs = {
      ids,
      positions: pastLengths(rows, shape.rows),
      pages: this.#pages(rows, shape.rows, shape.pastPages),
      targets: this.#targets(rows, shape.rows, steps, () => steps),
      ...drawInputs(rows, shape.rows, steps),
    };
    return this.#sampled(this.#module.call(decodeName(shape), inputs), rows, shape.rows, steps);
  }

  get guesses(): number {
    return this.#shapes.guesses;
  }

  /** Samples one token after the row's last token and after each guess. */
  verify(row: DeviceRow): SampledRow {
    this.#single?.flush();
    const shape = this.#shapes.verifyShape(row.past);
    const { length } = shape;
    const ids = new Int32Array(length);
    ids.set(row.tokenIds);
    const count = row.tokenIds.length;
    const outputs = this.#module.call(verifyName(shape), {
      ids,
      lengths: Int32Array.of(count),
      targets: this.#targets([row], 1, length, () => count),
      pages: this.#pages([row], 1, shape.pastPages),
      pastLengths: Int32Array.of(row.past),
      ...drawInputs([row], 1, length),
    });
    return entry(this.#sampled(outputs, [row], 1, length), 0).slice(0, count);
  }

  sampleAlone(row: DeviceRow, steps: number): SampledRow | undefined {
    return this.#single?.sample(row, steps);
  }

  /** The interface through which the single-request decoder reads weights and exchanges cache entries. */
  #host(): SingleRequestHost {
    return {
      width: entryTokens,
      isTransposed: this.#layout === "transposed",
      tensor: (name) => this.#module.readState([name])[name] as Float32Array,
      readEntries: (row, first) => {
        const from = first / pageLength;
        const pages = new Int32Array(entryPages).fill(this.#sparePage);
        pages.set(row.pages.slice(from, from + entryPages));
        return this.#module.call(READ_ENTRIES, { pages }) as unknown as Entries;
      },
      writeEntries: (row, first, count, entries) => {
        const targets = this.#targets([{ ...row, past: first }], 1, entryTokens, () => count);
        this.#module.call(WRITE_ENTRIES, { ...entries, targets });
      },
    };
  }

  /** Returns none: there are many shapes, and it is unknown which ones requests will need. */
  preparations(): readonly (() => void)[] {
    return [];
  }

  /** Zeroes pages that may contain values that are not finite, and the spare one, to which such values may have been written too. */
  zeroPages(pages: readonly number[]): void {
    this.#single?.flush();
    for (const page of [...pages, this.#sparePage]) {
      const targets = Array.from({ length: pageLength }, (_, place) => [page, place]).flat();
      this.#module.call(ZERO_PAGE, { targets: Int32Array.from(targets) });
    }
  }

  dispose(): void {
    this.#single?.dispose();
    this.#module.dispose();
  }

  /** Page and offset of each entry that a call writes; entries of no request go to the spare page. */
  #targets(
    rows: readonly DeviceRow[],
    bucket: number,
    length: number,
    count: (row: DeviceRow) => number,
  ): Int32Array {
    const targets = new Int32Array(bucket * length * 2);
    for (let i = 0; i < targets.length; i += 2) targets[i] = this.#sparePage;
    rows.forEach((row, i) => {
      const last = Math.min(row.past + count(row), this.#maxLength, row.pages.length * pageLength);
      for (let position = row.past; position < last; position++) {
        const at = 2 * (i * length + position - row.past);
        targets[at] = row.pages[Math.floor(position / pageLength)] as number;
        targets[at + 1] = position % pageLength;
      }
    });
    return targets;
  }

  #pages(rows: readonly DeviceRow[], bucket: number, pastPages: number): Int32Array {
    const pages = new Int32Array(bucket * pastPages).fill(this.#sparePage);
    rows.forEach((row, i) => {
      pages.set(row.pages.slice(0, Math.min(pastPages, Math.ceil(row.past / pageLength))), i * pastPages);
    });
    return pages;
  }

  #sampled(
    outputs: Readonly<Record<string, HostArray>>,
    rows: readonly DeviceRow[],
    bucket: number,
    steps: number,
  ): SampledRow[] {
    const { tokens, logprobs, sampledLogprobs } = outputs as Readonly<Record<string, Int32Array>>;
    let logits: Float32Array | undefined;
    return rows.map(({ rule, seed, sampled }, row) => {
      if (needsHost(rule) && steps === 1) {
        const name = logitsName(bucket);
        logits ??= this.#module.readState([name])[name] as Float32Array;
        const { vocabSize } = this.#config;
        const own = logits.subarray(row * vocabSize, (row + 1) * vocabSize);
        return [drawTruncated(own, rule, drawUniform(seed, sampled))];
      }
      return Array.from({ length: steps }, (_, step) => ({
        tokenId: tokens?.[step * bucket + row] as number,
        rolloutLogprob: logprobs?.[step * bucket + row] as number,
        sampledLogprob: sampledLogprobs?.[step * bucket + row] as number,
      }));
    });
  }
}

/** Rows without a request draw with uniform 0; what they sample is ignored. */
function drawInputs(rows: readonly DeviceRow[], bucket: number, steps: number): Record<string, HostArray> {
  const uniforms = new Float32Array(steps * bucket);
  const inverseTemperature = new Float32Array(bucket).fill(1);
  rows.forEach(({ rule: { temperature }, seed, sampled }, i) => {
    inverseTemperature[i] = temperature === 0 ? greedyInverseTemperature : 1 / temperature;
    if (temperature === 0) return;
    for (let step = 0; step < steps; step++) uniforms[step * bucket + i] = drawUniform(seed, sampled + step);
  });
  return { uniforms, inverseTemperature };
}

function pastLengths(rows: readonly DeviceRow[], bucket: number): Int32Array {
  const lengths = new Int32Array(bucket);
  rows.forEach(({ past }, i) => {
    lengths[i] = past;
  });
  return lengths;
}

function readName({ rows, length, pastPages }: ReadShape): string {
  return `read_${rows}x${length}_past${pastPages}`;
}

function verifyName({ length, pastPages }: VerifyShape): string {
  return `verify_1x${length}_past${pastPages}`;
}

function decodeName({ rows, steps, pastPages }: DecodeShape): string {
  return `decode_${rows}x${steps}_past${pastPages}`;
}
