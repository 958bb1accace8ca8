import type { Backend } from "../backend/backend.js";
import { JitError } from "../base/error.js";
import {
  checkHalf,
  cutIntoPieces,
  type HalfPart,
  type HalfPiece,
  joinedOnHost,
  roundedPiece,
} from "../base/half.js";
import { checkHostSize, type HostArray, type StateSpec, sizeOf, type TensorSpec } from "../base/spec.js";
import type { FunctionStats } from "../base/stats.js";
import {
  DATA_TYPE,
  nodeBackend,
  type TensorflowBinding,
  type TensorMetadata,
} from "../base/tensorflow-binding.js";
import type { FunctionNodes } from "../emit/function-nodes.js";
import { buildProgram, type ReplicaNodes, type StateNodes } from "../emit/program.js";
import type { StateWriter } from "../emit/state-writer.js";
import { orderedSegmentSum } from "../ops/ordered-segment-sum.js";
import type { HostArrays, JitFunction } from "../trace/jit-function.js";
import { traceStages } from "../trace/traced-stages.js";
import {
  checkEach,
  checkReadHalf,
  checkReplica,
  checkSameEntries,
  checkState,
  disposed,
  orderedInputs,
  stateSpec,
  unknownFunction,
} from "./call-checks.js";
import { executionError } from "./execution-error.js";
import type { ComputedPrecision, JitModule, JitPrecision } from "./jit-module.js";
import { checkOutputs, type LoadedFunction, loaded } from "./loaded-function.js";
import { loadGraph } from "./saved-model.js";

/** Maximum size of the entries that are written to the state in one run, bytes; a larger one is written alone. */
const MAX_WRITTEN_BYTES = 64 * 2 ** 20;

/** Entries that are summed over replicas; without nodes there is only one replica. */
interface Reduction {
  readonly nodes: FunctionNodes | undefined;
  readonly entries: ReadonlySet<string>;
}

const numberOf = (first: number | undefined, piece: number) =>
  first === undefined ? undefined : first + piece;

/** One run of the session. */
interface Run {
  /** For an error's message. */
  readonly what: string;
  readonly nodes: FunctionNodes;
  readonly donates?: boolean;
}

/** A run whose outputs are read in another way than into new arrays. */
interface ReadRun<T> extends Run {
  readonly read: (output: TensorMetadata, index: number) => T;
}

/** Functions traced into one graph and run in one TensorFlow session, which holds the state. */
export class GraphModule implements JitModule {
  readonly mode: "graph" | "xla";
  readonly precision: ComputedPrecision;
  readonly #binding: TensorflowBinding;
  readonly #gpu: boolean;
  readonly #state: Readonly<Record<string, StateSpec>>;
  readonly #functions: ReadonlyMap<string, LoadedFunction>;
  readonly #replicas: readonly ReplicaNodes[];
  readonly #reductions: ReadonlyMap<string, Reduction>;
  /** Entries without contents yet: their zeros are allocated when they are first needed. */
  readonly #empty: Set<string>;
  #sessionId: number | undefined;
  /** The run that failed after the memory of state entries had been donated to XLA (JIT-LAUNCH-4). */
  #lostBy: string | undefined;

  constructor(
    { tensorFloat32, deterministic }: Pick<Backend, "tensorFloat32" | "deterministic">,
    options: {
      readonly state: Readonly<Record<string, StateSpec>>;
      readonly functions: Readonly<Record<string, JitFunction>>;
      readonly mode: "graph" | "xla";
      readonly precision: JitPrecision;
      readonly replicas: number;
      readonly reductions: Readonly<Record<string, readonly string[]>>;
    },
  ) {
    const { state, functions, mode, precision, replicas, reductions } = options;
    this.mode = mode;
    this.precision = precision === "float32" && tensorFloat32 ? "tf32" : precision;
    this.#state = state;
    this.#binding = nodeBackend().binding;
    const gpu = this.#binding.isUsingGpuDevice();
    this.#gpu = gpu;
    // cuDNN's kernels use bfloat16, which would lose precision with precision float32.
    const isLaunched = mode === "xla";
    const target = {
      fusedAttention: gpu && isLaunched && precision === "bfloat16",
      calls: isLaunched,
      segmentSum: gpu && isLaunched && deterministic ? orderedSegmentSum : undefined,
    };
    const traced = Object.entries(functions).map(([name, fn]) =>
      traceStages(name, state, fn, target, replicas),
    );
    for (const fn of traced) checkOutputs(fn);
    const started = performance.now();
    const program = buildProgram(state, traced, {
      xla: mode === "xla",
      gpu,
      halfProducts: precision === "bfloat16",
      replicas,
      reductions,
    });
    const { sessionId } = loadGraph(this.#binding, program.nodes, program.functions);
    this.#sessionId = sessionId;
    this.#replicas = program.replicas;
    this.#reductions = new Map(
      Object.entries(reductions).map(([name, entries]) => [
        name,
        { nodes: program.reductions.get(name), entries: new Set(entries) },
      ]),
    );
    this.#empty = new Set(Object.keys(state));
    const loadMs = performance.now() - started;
    this.#functions = new Map(traced.map((fn) => [fn.name, loaded(fn, program, loadMs, mode)]));
  }

  get replicas(): number {
    return this.#replicas.length;
  }

  call(name: string, inputs: HostArrays): Record<string, HostArray> {
    const [first = {}] = this.callEach(
      name,
      this.#replicas.map(() => inputs),
    );
    return first;
  }

  callEach(name: string, inputs: readonly HostArrays[]): Record<string, HostArray>[] {
    const started = performance.now();
    const fn = this.#functions.get(name);
    if (fn === undefined) throw unknownFunction(name, this.#functions.keys());
    checkEach(`function ${JSON.stringify(name)}`, inputs, this.replicas);
    const arrays = inputs.flatMap((own) => orderedInputs(name, fn.inputs, own));
    const { donates, uses } = fn;
    this.#fillEmpty(uses);
    const specs = inputs.flatMap(() => Object.values(fn.inputs));
    const nodes = joined(fn.nodes);
    const values = this.#feed(specs, arrays, { what: `function ${JSON.stringify(name)}`, nodes, donates });
    const keys = Object.keys(fn.outputs);
    const outputs = inputs.map((_, replica) =>
      Object.fromEntries(
        keys.map((key, index) => [key, values[replica * keys.length + index] ?? new Float32Array()]),
      ),
    );
    fn.stats.add(performance.now() - started);
    return outputs;
  }

  reduce(name: string): void {
    const reduction = this.#reductions.get(name);
    if (reduction === undefined) throw unknownFunction(name, this.#reductions.keys());
    const { nodes, entries } = reduction;
    // The sum over one replica is its own value.
    if (nodes === undefined) return;
    this.#fillEmpty(entries);
    this.#run([], { what: `reduction ${JSON.stringify(name)}`, nodes });
  }

  writeState(values: HostArrays, replica?: number): void {
    checkReplica(replica, this.replicas);
    const on = this.#replicas.flatMap((_, at) => (replica === undefined || at === replica ? [at] : []));
    // What the other replicas have of the entries would be left without a value.
    if (replica !== undefined) this.#fillEmpty(new Set(Object.keys(values)));
    this.#writeOn(new Map(on.map((at) => [at, values])));
  }

  writeEach(each: readonly HostArrays[]): void {
    checkEach("writeEach", each, this.replicas);
    checkSameEntries(each);
    this.#writeOn(new Map(each.entries()));
  }

  /** @param each values by replica, of the same entries */
  #writeOn(each: ReadonlyMap<number, HostArrays>): void {
    for (const values of each.values()) checkState(this.#state, values);
    const [first = {}] = each.values();
    // Each run holds the arrays, the addon's aligned copies of them and the variables' copies, so it writes only a few entries.
    let names: string[] = [];
    let bytes = 0;
    for (const [name, array] of Object.entries(first)) {
      const { shape } = stateSpec(this.#state, name);
      if (this.#writeAlone(name, shape, (replica) => each.get(replica)?.[name])) continue;
      if (names.length > 0 && bytes + array.byteLength > MAX_WRITTEN_BYTES) {
        this.#write(names, each);
        names = [];
        bytes = 0;
      }
      names.push(name);
      bytes += array.byteLength;
    }
    if (names.length > 0) this.#write(names, each);
  }

  /**
   * Writes a value of this shape, which is the entry's or one number for all of it, through the function that can write any entry, to
   * the replicas that are given one; returns false if it does not know this one.
   */
  #writeAlone(
    name: string,
    shape: readonly number[],
    given: (replica: number) => HostArray | undefined,
  ): boolean {
    const what = `writing entry ${name} to the state`;
    const specs: TensorSpec[] = [
      { shape: [], dtype: "int32" },
      { shape, dtype: "float32" },
    ];
    for (const [replica, { writer }] of this.#replicas.entries()) {
      const index = writer?.indices.get(name);
      if (writer === undefined || index === undefined) return false;
      const value = given(replica);
      if (value !== undefined) this.#feed(specs, [Int32Array.of(index), value], { what, nodes: writer });
    }
    this.#empty.delete(name);
    return true;
  }

  *writeHalf(name: string, parts: readonly HalfPart[], replica?: number): Generator<undefined> {
    const spec = stateSpec(this.#state, name);
    checkReplica(replica, this.replicas);
    checkHalf(name, spec, parts);
    if (replica !== undefined) this.#fillEmpty(new Set([name]));
    const written = this.#replicas.filter((_, at) => replica === undefined || at === replica);
    const what = `writing entry ${name} to the state`;
    const feed = (value: Float32Array, number: (writer: StateWriter) => number | undefined): boolean => {
      const specs: TensorSpec[] = [
        { shape: [], dtype: "int32" },
        { shape: [value.length], dtype: "float32" },
      ];
      for (const { writer } of written) {
        const index = writer && number(writer);
        if (writer === undefined || index === undefined) return false;
        this.#feed(specs, [Int32Array.of(index), value], { what, nodes: writer });
      }
      return true;
    };
    let piece = 0;
    for (const values of cutIntoPieces(parts)) {
      const index = piece;
      if (!feed(values, ({ firstPieces }) => numberOf(firstPieces.get(name), index))) {
        this.writeState({ [name]: joinedOnHost(spec, parts) }, replica);
        return;
      }
      piece += 1;
      yield;
    }
    feed(new Float32Array(1), ({ halfIndices }) => halfIndices.get(name));
    this.#empty.delete(name);
  }

  *readHalf(
    name: string,
    replica = 0,
    take = (values: number) => new Uint16Array(values),
  ): Generator<HalfPiece> {
    checkReplica(replica, this.replicas);
    checkReadHalf(name, stateSpec(this.#state, name));
    const nodes = this.#replicas[replica]?.halfReader;
    const pieces = nodes?.pieces.get(name);
    if (nodes === undefined || pieces === undefined) {
      yield roundedPiece(this.readState([name], replica)[name] as Float32Array, take);
      return;
    }
    this.#fillEmpty(new Set([name]));
    for (const piece of pieces) {
      const specs: TensorSpec[] = [{ shape: [], dtype: "int32" }];
      const what = `reading entry ${name} of the state`;
      const read = ({ id, shape }: TensorMetadata, output: number) => {
        if (output > 0) return this.#binding.tensorDataSync(id);
        const bits = take(2 * sizeOf(shape));
        this.#binding.copyTensorData(id, bits);
        return bits;
      };
      const [bits, finite] = this.#feed(specs, [Int32Array.of(piece)], { what, nodes, read });
      yield { bits: bits as Uint16Array, isFinite: finite?.[0] === 1 };
    }
  }

  #write(names: readonly string[], each: ReadonlyMap<number, HostArrays>): void {
    const specs = names.map((name) => stateSpec(this.#state, name));
    for (const [replica, { state }] of this.#replicas.entries()) {
      const values = each.get(replica);
      if (values === undefined) continue;
      const arrays = names.map((name) => values[name] as HostArray);
      const entries = names.map((name) => entryOf(state, name));
      const nodes = {
        feeds: entries.map((entry) => entry.feed).join(),
        fetches: entries.map((entry) => entry.written).join(),
      };
      this.#feed(specs, arrays, { what: `writing ${named(names)} to the state`, nodes });
    }
    for (const name of names) this.#empty.delete(name);
  }

  /** Lazy entries are filled with the first that are used. Those not written by number are filled together, as every set of names is prepared. */
  #fillEmpty(used: ReadonlySet<string>): void {
    if (this.#empty.size === 0) return;
    const zero = Float32Array.of(0);
    const wanted = [...this.#empty].filter((name) => used.has(name) || this.#state[name]?.lazy !== true);
    const names = wanted.filter((name) => !this.#writeAlone(name, [], () => zero));
    if (names.length === 0) return;
    const zeroed = this.#replicas.flatMap(({ state }) =>
      names.flatMap((name) => entryOf(state, name).zeroed ?? []),
    );
    const fetches = zeroed.join();
    this.#run([], { what: `making ${named(names)} of the state`, nodes: { feeds: "", fetches } });
    for (const name of names) this.#empty.delete(name);
  }

  readState(names: readonly string[] = Object.keys(this.#state), replica = 0): Record<string, HostArray> {
    checkReplica(replica, this.replicas);
    if (names.length === 0) return {};
    return this.#readFrom(this.#replicas.slice(replica, replica + 1), names)[0] ?? {};
  }

  readEach(names: readonly string[]): Record<string, HostArray>[] {
    if (names.length === 0) return this.#replicas.map(() => ({}));
    return this.#readFrom(this.#replicas, names);
  }

  #readFrom(replicas: readonly ReplicaNodes[], names: readonly string[]): Record<string, HostArray>[] {
    for (const name of names) {
      entryOf(replicas[0]?.state, name);
      checkHostSize(`state ${JSON.stringify(name)}`, stateSpec(this.#state, name));
    }
    this.#fillEmpty(new Set(names));
    return replicas.map(({ state }) => {
      const fetches = names.map((name) => entryOf(state, name).read).join();
      const nodes = { feeds: "", fetches };
      const values = this.#run([], { what: `reading ${named(names)} of the state`, nodes });
      return Object.fromEntries(names.map((name, index) => [name, values[index] ?? new Float32Array()]));
    });
  }

  outputSpecs(name: string): Readonly<Record<string, TensorSpec>> {
    const fn = this.#functions.get(name);
    if (fn === undefined) throw unknownFunction(name, this.#functions.keys());
    return fn.outputs;
  }

  get stats(): Readonly<Record<string, FunctionStats>> {
    return Object.fromEntries([...this.#functions].map(([name, fn]) => [name, fn.stats.get()]));
  }

  dispose(): void {
    if (this.#sessionId === undefined) return;
    // Variables whose memory XLA has freed would be freed twice (JIT-LAUNCH-4).
    if (this.#lostBy === undefined) this.#binding.deleteSavedModel(this.#sessionId);
    this.#sessionId = undefined;
  }

  /** Runs with host arrays as inputs, whose handles live as long as the run. */
  #feed(specs: readonly TensorSpec[], arrays: readonly HostArray[], run: Run): HostArray[];
  #feed<T>(specs: readonly TensorSpec[], arrays: readonly HostArray[], run: ReadRun<T>): T[];
  #feed(specs: readonly TensorSpec[], arrays: readonly HostArray[], run: Run | ReadRun<unknown>): unknown[] {
    const ids: number[] = [];
    try {
      for (const [index, { shape, dtype }] of specs.entries()) {
        const values = arrays[index];
        if (values instanceof Float32Array)
          ids.push(this.#binding.createTensor([...shape], DATA_TYPE.int32, bitsOf(values)));
        else if (values !== undefined)
          ids.push(this.#binding.createTensor([...shape], DATA_TYPE[dtype], values));
      }
      return this.#run(ids, run);
    } finally {
      for (const id of ids) this.#binding.deleteTensor(id);
    }
  }

  #run(ids: number[], run: Run): HostArray[];
  #run(ids: number[], run: Run | ReadRun<unknown>): unknown[];
  #run(ids: number[], run: Run | ReadRun<unknown>): unknown[] {
    const { what, nodes, donates = false } = run;
    const { feeds, fetches } = nodes;
    const read = "read" in run ? run.read : ({ id }: TensorMetadata) => this.#binding.tensorDataSync(id);
    if (this.#sessionId === undefined) throw disposed();
    if (this.#lostBy !== undefined)
      throw new JitError(
        "STATE_LOST",
        `${what} cannot run, because ${this.#lostBy} failed and destroyed the state; create another module, in another process to get the memory back`,
      );
    let outputs: ReturnType<TensorflowBinding["runSavedModel"]>;
    try {
      outputs = this.#binding.runSavedModel(this.#sessionId, ids, feeds, fetches);
    } catch (cause) {
      if (donates) this.#lostBy = what;
      throw executionError(what, cause, { gpu: this.#gpu, losesState: donates });
    }
    return outputs.map((output, index) => {
      try {
        return read(output, index);
      } finally {
        this.#binding.deleteTensor(output.id);
      }
    });
  }
}

/** Returns the numbers as they are fed (`Emitter.fed`). */
function bitsOf({ buffer, byteOffset, length }: Float32Array): Int32Array {
  return new Int32Array(buffer, byteOffset, length);
}

/** Combines the calls of all replicas into one run. */
function joined(replicas: readonly FunctionNodes[]): FunctionNodes {
  const feeds = replicas.map(({ feeds }) => feeds).filter((names) => names !== "");
  return { feeds: feeds.join(), fetches: replicas.map(({ fetches }) => fetches).join() };
}

function entryOf(state: ReplicaNodes["state"] | undefined, name: string): StateNodes {
  const entry = state?.get(name);
  if (entry !== undefined) return entry;
  throw new JitError("UNKNOWN_STATE", `the state has no entry ${JSON.stringify(name)}`);
}

/** Names entries of the state in an error message. */
function named(names: readonly string[]): string {
  const [first = "nothing", ...others] = names;
  return others.length === 0 ? `entry ${first}` : `${names.length} entries, ${first} among them,`;
}
