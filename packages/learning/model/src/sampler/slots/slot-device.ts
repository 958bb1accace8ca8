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
import { attentionKinds } from "../../base/attention-kind.js";
import type { ModelConfig } from "../../base/config.js";
import type { LoraConfig } from "../../base/lora.js";
import type { HeldParameters } from "../../base/parameters.js";
import { ropeTables } from "../../forward/rope.js";
import type { DeviceRow, GuessedRows, SampledRow, SamplingDevice } from "../calls/sampling-device.js";
import { drawUniform, greedyInverseTemperature } from "../draw/draw.js";
import { truncates } from "../draw/truncated-draw.js";
import { type DrawRule, drawTruncated } from "../draw/truncation.js";
import { AdaptedWeights } from "../weights/adapted-weights.js";
import { packedWeights } from "../weights/packed-weights.js";
import { StagedWeights } from "../weights/staged-weights.js";
import { writeInParts } from "../weights/write-weights.js";
import { packedPieces, paddedPieces } from "./read-pieces.js";
import { RowChoice } from "./row-choice.js";
import type { SlotShapes } from "./slot-shapes.js";
import { type TableShape, tableShape } from "./table-cache.js";
import { noToken, stopTokensOnDevice, type TableDecodeShape, tableDecodeFunction } from "./table-decode.js";
import { tableGuessFunction } from "./table-guess.js";
import { tablePackedReadFunction } from "./table-packed-read.js";
import {
  slotsPerCopy,
  type TableReadShape,
  tableCopyFunction,
  tableDrawFunction,
  tableReadFunction,
  tableZeroFunction,
} from "./table-read.js";
import { tableLogits, tableModelState } from "./table-setup.js";

const ZERO_SLOT = "zeroSlot";
const COPY_SLOTS = "copySlots";

export interface SlotDeviceOptions {
  readonly backend: Backend;
  readonly mode: "auto" | JitMode;
  readonly config: ModelConfig;
  readonly shapes: SlotShapes;
  readonly maxLength: number;
  readonly precision: JitPrecision;
  /** Set if the policy is adapters over weights. */
  readonly lora?: LoraConfig | undefined;
  /** Whether new weights are copied beside those in use; not with adapters. */
  readonly stages?: boolean;
}

/**
 * A sampler's compiled functions over a table of slots, with weights and cache. Requests of all lengths are sampled
 * in one call; stop conditions and truncation are evaluated on the device. Calls are synchronous.
 */
export class SlotDevice implements SamplingDevice {
  readonly #module: JitModule;
  readonly #config: ModelConfig;
  readonly #slots: number;
  readonly #table: TableShape;
  readonly #shapes: SlotShapes;
  readonly #adapted: AdaptedWeights | undefined;
  readonly #rows: RowChoice;
  readonly #stages: boolean;

  constructor(options: SlotDeviceOptions) {
    const { backend, mode, config, shapes, maxLength, precision, lora, stages = false } = options;
    this.#stages = stages && lora === undefined;
    this.#config = config;
    this.#slots = shapes.maxRows;
    this.#shapes = shapes;
    const table = tableShape(this.#slots, maxLength);
    // Mode eager supports only float32.
    const setup = { config, table, type: precision };
    this.#table = table;
    const functions: Record<string, JitFunction> = {
      [ZERO_SLOT]: tableZeroFunction(setup),
      [COPY_SLOTS]: tableCopyFunction(setup),
    };
    for (const shape of shapes.reads)
      functions[readName(shape)] = (shape.isPacked ? tablePackedReadFunction : tableReadFunction)(
        setup,
        shape,
      );
    const { guesses, guessSteps } = shapes;
    const forms = [false, true];
    if (guesses > 0)
      for (const rows of shapes.rowCounts)
        for (const truncates of forms)
          functions[this.#guessName(rows, truncates)] = tableGuessFunction(setup, {
            ...{ rows, steps: guessSteps, guesses, truncates },
          });
    const readRows = [...new Set(shapes.reads.map(({ rows }) => rows))];
    for (const rows of readRows) functions[drawName(rows)] = tableDrawFunction(rows);
    const rows = this.#slots;
    functions[decodeName(rows, 1, false)] = tableDecodeFunction(setup, { rows, steps: 1, truncates: false });
    for (const steps of shapes.steps)
      for (const rows of shapes.rowCountsOf(steps))
        for (const truncates of forms)
          functions[decodeName(rows, steps, truncates)] = tableDecodeFunction(setup, {
            ...{ rows, steps, truncates },
          });
    this.#adapted = lora && new AdaptedWeights({ config, lora, layout: "table", stored: precision });
    Object.assign(functions, this.#adapted?.functions);
    const state = {
      ...tableModelState(setup, readRows, this.#stages ? "staged" : "written"),
      ...this.#adapted?.state,
    };
    this.#module = jit({ backend, mode, state, functions, precision });
    const { kinds } = attentionKinds(config, maxLength);
    const { cos, sin } = ropeTables(entry(kinds, 0), table.length);
    this.#module.writeState({ ropeCos: cos, ropeSin: sin });
    this.#rows = new RowChoice({
      rowCounts: shapes.rowCounts,
      compiles: this.mode === "xla",
      statsOf: (name) => this.#module.stats[name],
    });
  }

  get mode(): JitMode {
    return this.#module.mode;
  }

  get functionStats(): Readonly<Record<string, FunctionStats>> {
    return this.#module.stats;
  }

  preparations(): readonly (() => void)[] {
    if (this.mode !== "xla") return [];
    const isUsed = (name: string) => (this.#module.stats[name]?.calls ?? 0) > 0;
    const once = (name: string, call: () => void) => () => {
      if (!isUsed(name)) call();
    };
    const { rowCounts, guesses } = this.#shapes;
    const [slots, longest] = [this.#slots, this.#shapes.stepsFor()];
    const decode = (rows: number, steps: number) =>
      once(decodeName(rows, steps, false), () => this.#decode([], { rows, steps, truncates: false }));
    const guess = (rows: number) =>
      once(this.#guessName(rows, false), () => this.#guess([], { rows, truncates: false }));
    const decodes = this.#shapes.steps.toReversed().map((steps) => decode(slots, steps));
    const [firstRead, ...furtherReads] = this.#shapes.reads.map((shape) =>
      once(readName(shape), () => this.#readNothing(shape)),
    );
    const checks = guesses === 0 ? [] : [guess(slots)];
    const copies = once(COPY_SLOTS, () => this.#copySources([{ source: 0, pages: [0] }]));
    const first = firstRead === undefined ? [] : [firstRead];
    const fewer = rowCounts
      .slice(0, -1)
      .toReversed()
      .flatMap((rows) => [decode(rows, longest), ...(guesses === 0 ? [] : [guess(rows)])]);
    return [...first, ...decodes, ...checks, ...furtherReads, copies, ...fewer];
  }

  /** Runs a reading function on pieces without tokens, which writes nothing that a request sees. */
  #readNothing(shape: TableReadShape): void {
    const { rows, hasPast, isPacked } = shape;
    const size = { table: this.#table, count: rows, length: shape.length };
    const past = { pasts: new Int32Array(rows).fill(1), slots: new Int32Array(rows) };
    this.#module.call(readName(shape), {
      ...(isPacked ? packedPieces([], size) : { ...paddedPieces([], size), ...(hasPast ? past : {}) }),
      ...drawInputs([], rows, 1),
    });
  }

  *writeWeights(parameters: HeldParameters): Generator<undefined> {
    if (this.#adapted) yield* this.#adapted.writeWeights(this.#module, parameters);
    else yield* writeInParts(this.#module, packedWeights(this.#config, parameters, "table"));
  }

  get stageWeights(): SamplingDevice["stageWeights"] {
    if (!this.#stages) return undefined;
    return (parameters) => new StagedWeights(this.#module, this.#config, parameters);
  }

  writeAdapters(adapters: Readonly<Record<string, Float32Array>>): void {
    this.#adapted?.writeAdapters(this.#module, adapters);
  }

  /** Only the most likely tokens have to be computed on the host. */
  needsHost({ logprobs = 0 }: DrawRule): boolean {
    return logprobs > 0;
  }

  read(rows: readonly DeviceRow[], length: number): SampledRow[] {
    this.#copySources(rows);
    const hasPast = rows.some(({ past }) => past > 0);
    const shape = this.#shapes.readShape(length, hasPast);
    // Rows without a request repeat the last row.
    const all = Array.from({ length: shape.rows }, (_, i) => entry(rows, Math.min(i, rows.length - 1)));
    const draw = drawInputs(
      all.map((row, i) => [i, row]),
      shape.rows,
      1,
    );
    const size = { table: this.#table, count: shape.rows, length };
    const past = () => ({
      pasts: Int32Array.from(all, ({ past }) => past),
      slots: Int32Array.from(all, ({ pages }) => pages[0] as number),
    });
    let outputs = this.#module.call(readName(shape), {
      ...(shape.isPacked
        ? packedPieces(rows, size)
        : { ...paddedPieces(all, size), ...(hasPast ? past() : {}) }),
      ...draw,
    });
    if (rows.some(({ rule }) => truncates(rule)))
      outputs = this.#module.call(drawName(shape.rows), {
        ...draw,
        ...truncationInputs(
          all.map((row, i) => [i, row]),
          shape.rows,
        ),
      });
    return this.#sampled(
      outputs,
      rows.map((row, i) => [i, row]),
      shape.rows,
      1,
    );
  }

  /** Copies what other requests have read of these rows' prompts into the rows' own slots. */
  #copySources(rows: readonly Pick<DeviceRow, "source" | "pages">[]): void {
    const pairs = rows.flatMap(({ source, pages }) =>
      source === undefined ? [] : [[source, pages[0] as number] as const],
    );
    for (let at = 0; at < pairs.length; at += slotsPerCopy) {
      const some = pairs.slice(at, at + slotsPerCopy);
      // The other pairs copy slots to themselves: many writes to one slot would wait for each other.
      const targets = new Set(some.map(([, to]) => to));
      for (let slot = 0; slot < this.#slots && some.length < slotsPerCopy; slot++)
        if (!targets.has(slot)) some.push([slot, slot]);
      const of = (side: 0 | 1) =>
        Int32Array.from({ length: slotsPerCopy }, (_, i) => entry(some, Math.min(i, some.length - 1))[side]);
      this.#module.call(COPY_SLOTS, { from: of(0), to: of(1) });
    }
  }

  /** Samples up to `steps` tokens for each row, in as few steps as the rows still need. */
  decode(rows: readonly DeviceRow[], steps: number): SampledRow[] {
    const wanted = Math.max(...rows.map(({ remaining }) => remaining));
    const isSingle = rows.some(({ rule }) => this.needsHost(rule));
    const count = isSingle ? 1 : this.#shapes.stepsOfCall(Math.min(steps, wanted));
    const truncated = !isSingle && rows.some(({ rule }) => truncates(rule));
    const sample = (inCall: number) =>
      this.#decode(rows, { rows: inCall, steps: count, truncates: truncated });
    if (this.#shapes.rowCountsOf(count).length === 1) return sample(this.#slots);
    return this.#rows.run(rows.length, (inCall) => decodeName(inCall, count, truncated), sample);
  }

  #decode(rows: readonly DeviceRow[], shape: TableDecodeShape): SampledRow[] {
    const placed = this.#placed(rows, shape.rows);
    const ids = new Int32Array(shape.rows);
    for (const [at, { tokenIds }] of placed) ids[at] = tokenIds[0] as number;
    const inputs = { ids, ...this.#continuedInputs(placed, shape, shape.steps) };
    const name = decodeName(shape.rows, shape.steps, shape.truncates);
    return this.#sampled(this.#module.call(name, inputs), placed, shape.rows, shape.steps);
  }

  /** Where requests are in a call: in their own slots, or one after another if it has fewer rows than there are slots. */
  #placed(rows: readonly DeviceRow[], inCall: number): Placed {
    return rows.map((row, i) => [inCall === this.#slots ? slotOf(row) : i, row] as const);
  }

  /** The slots of a call of fewer rows: those of its requests, then any others, in which nothing is sampled. */
  #slotInputs(placed: Placed, inCall: number): Record<string, HostArray> {
    if (inCall === this.#slots) return {};
    const taken = placed.map(([, row]) => slotOf(row));
    const isTaken = new Set(taken);
    const slots = Array.from({ length: this.#slots }, (_, slot) => slot);
    const others = slots.filter((slot) => !isTaken.has(slot));
    const rowOfSlot = new Int32Array(this.#slots).fill(-1);
    taken.forEach((slot, row) => {
      rowOfSlot[slot] = row;
    });
    return { slots: Int32Array.from([...taken, ...others].slice(0, inCall)), rowOfSlot };
  }

  /** Inputs of calls that continue from each request's last token. @param draws numbers that each may need */
  #continuedInputs(placed: Placed, { rows, truncates }: CallRows, draws: number): Record<string, HostArray> {
    const positions = new Int32Array(rows);
    const left = new Int32Array(rows);
    const stops = new Int32Array(rows * stopTokensOnDevice).fill(noToken);
    for (const [at, { past, remaining, stopTokenIds }] of placed) {
      positions[at] = past;
      left[at] = remaining;
      stops.set(stopTokenIds.slice(0, stopTokensOnDevice), at * stopTokensOnDevice);
    }
    return {
      positions,
      left,
      stops,
      ...this.#slotInputs(placed, rows),
      ...drawInputs(placed, rows, draws),
      ...(truncates ? truncationInputs(placed, rows) : {}),
    };
  }

  get decodeGuessing(): SamplingDevice["decodeGuessing"] {
    if (this.#shapes.guesses === 0) return undefined;
    return (rows) => {
      const truncated = rows.some(({ rule }) => truncates(rule));
      return this.#rows.run(
        rows.length,
        (inCall) => this.#guessName(inCall, truncated),
        (inCall) => this.#guess(rows, { rows: inCall, truncates: truncated }),
      );
    };
  }

  #guess(rows: readonly DeviceRow[], call: CallRows): GuessedRows {
    const { guesses, guessSteps } = this.#shapes;
    const [width, { length }] = [1 + guesses, this.#table];
    const placed = this.#placed(rows, call.rows);
    const history = new Int32Array(call.rows * length);
    for (const [at, row] of placed) history.set(row.history, at * length);
    const outputs = this.#module.call(this.#guessName(call.rows, call.truncates), {
      history,
      ...this.#continuedInputs(placed, call, guessSteps * width),
    }) as Readonly<Record<"tokens" | "logprobs" | "sampledLogprobs" | "counts" | "guessed", HostArray>>;
    const { tokens, logprobs, sampledLogprobs, counts } = outputs;
    const steps = Array.from({ length: guessSteps }, (_, step) => step);
    const countOf = (step: number, row: number) => counts[step * call.rows + row] as number;
    const sampled = placed.map(([row]) =>
      steps.flatMap((step) =>
        Array.from({ length: countOf(step, row) }, (_, place) => {
          const at = (step * call.rows + row) * width + place;
          return {
            tokenId: tokens[at] as number,
            rolloutLogprob: logprobs[at] as number,
            sampledLogprob: sampledLogprobs[at] as number,
          };
        }),
      ),
    );
    const beyondFirst = steps.flatMap((step) => placed.map(([row]) => Math.max(0, countOf(step, row) - 1)));
    const sum = (values: Iterable<number>) => [...values].reduce((all, value) => all + value, 0);
    return { sampled, guessed: sum(outputs.guessed as Int32Array), right: sum(beyondFirst) };
  }

  #guessName(rows: number, isTruncated: boolean): string {
    const { guesses, guessSteps } = this.#shapes;
    return `guess_${rows}x${guessSteps}x${1 + guesses}${isTruncated ? "_truncated" : ""}`;
  }

  zeroPages(slots: readonly number[]): void {
    for (const slot of slots) this.#module.call(ZERO_SLOT, { slots: Int32Array.of(slot) });
  }

  dispose(): void {
    this.#module.dispose();
  }

  #sampled(
    outputs: Readonly<Record<string, HostArray>>,
    placed: Placed,
    width: number,
    steps: number,
  ): SampledRow[] {
    const { tokens, logprobs, sampledLogprobs } = outputs as Readonly<Record<string, Int32Array>>;
    let logits: Float32Array | undefined;
    return placed.map(([at, { rule, seed, sampled, remaining }]) => {
      if (this.needsHost(rule)) {
        const name = tableLogits(width);
        logits ??= this.#module.readState([name])[name] as Float32Array;
        const { vocabSize } = this.#config;
        const own = logits.subarray(at * vocabSize, (at + 1) * vocabSize);
        return [drawTruncated(own, rule, drawUniform(seed, sampled))];
      }
      return Array.from({ length: Math.min(steps, remaining) }, (_, step) => ({
        tokenId: tokens?.[step * width + at] as number,
        rolloutLogprob: logprobs?.[step * width + at] as number,
        sampledLogprob: sampledLogprobs?.[step * width + at] as number,
      }));
    });
  }
}

/** Rows and their indices in a call. */
type Placed = readonly (readonly [at: number, row: DeviceRow])[];

type CallRows = Pick<TableDecodeShape, "rows" | "truncates">;

function slotOf({ pages }: DeviceRow): number {
  return pages[0] as number;
}

function drawInputs(placed: Placed, width: number, steps: number): Record<string, HostArray> {
  const uniforms = new Float32Array(steps * width);
  const inverseTemperature = new Float32Array(width).fill(1);
  for (const [at, { rule, seed, sampled }] of placed) {
    const { temperature } = rule;
    inverseTemperature[at] = temperature === 0 ? greedyInverseTemperature : 1 / temperature;
    if (temperature === 0) continue;
    for (let step = 0; step < steps; step++) uniforms[step * width + at] = drawUniform(seed, sampled + step);
  }
  return { uniforms, inverseTemperature };
}

function truncationInputs(placed: Placed, width: number): Record<string, HostArray> {
  const topK = new Float32Array(width);
  const topP = new Float32Array(width).fill(1);
  const minP = new Float32Array(width);
  for (const [at, { rule }] of placed) {
    if (!truncates(rule)) continue;
    topK[at] = rule.topK ?? 0;
    topP[at] = rule.topP ?? 1;
    minP[at] = rule.minP ?? 0;
  }
  return { topK, topP, minP };
}

function readName({ rows, length, hasPast, isPacked }: TableReadShape): string {
  return isPacked ? `read_${length}` : `read_${rows}x${length}${hasPast ? "_past" : ""}`;
}

function drawName(rows: number): string {
  return `draw_${rows}`;
}

function decodeName(rows: number, steps: number, isTruncated: boolean): string {
  return `decode_${rows}x${steps}${isTruncated ? "_truncated" : ""}`;
}
