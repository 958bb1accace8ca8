import type { Backend } from "./backend.js";
import { checkState, disposed, orderedInputs, stateSpec, unknownFunction } from "./call-checks.js";
import { JitError } from "./error.js";
import { executionError } from "./execution-error.js";
import { liveCount, liveness, sources } from "./liveness.js";
import type { ComputedPrecision, HostArrays, JitFunction, JitModule, JitPrecision } from "./module.js";
import { buildProgram, type FunctionNodes, type GraphProgram, type StateNodes } from "./program.js";
import { loadGraph } from "./saved-model.js";
import { checkHostSize, type HostArray, type StateSpec, type TensorSpec } from "./spec.js";
import { type FunctionStats, StatsRecorder } from "./stats.js";
import { DATA_TYPE, dtypeOf, nodeBackend, type TensorflowBinding } from "./tensorflow-binding.js";
import { type TracedFunction, traceFunction } from "./traced-function.js";

/** Entries that are written to the state in one run, bytes; a larger one goes alone. */
const MAX_WRITTEN_BYTES = 64 * 2 ** 20;

interface LoadedFunction {
  readonly inputs: Readonly<Record<string, TensorSpec>>;
  readonly outputs: Readonly<Record<string, TensorSpec>>;
  readonly nodes: FunctionNodes;
  readonly stats: StatsRecorder;
  /** XLA is handed the memory of the entries that it writes. */
  readonly donates: boolean;
  /** Entries of the state that it reads or writes. */
  readonly uses: ReadonlySet<string>;
}

/** What one run of the session does. */
interface Run {
  /** For an error's message. */
  readonly what: string;
  readonly nodes: FunctionNodes;
  readonly donates?: boolean;
}

/** Functions traced into one graph and run in one TensorFlow session, which holds the state. */
export class GraphModule implements JitModule {
  readonly mode: "graph" | "xla";
  readonly precision: ComputedPrecision;
  readonly #binding: TensorflowBinding;
  readonly #gpu: boolean;
  readonly #state: Readonly<Record<string, StateSpec>>;
  readonly #functions: ReadonlyMap<string, LoadedFunction>;
  readonly #entries: GraphProgram["state"];
  readonly #writer: GraphProgram["writer"];
  /** Entries without contents: zeros are made for them when they are first needed, not before. */
  readonly #empty: Set<string>;
  #sessionId: number | undefined;
  /** What failed after the memory of state entries had been handed to XLA (JIT-LAUNCH-4). */
  #lostBy: string | undefined;

  constructor(
    { tensorFloat32 }: Pick<Backend, "tensorFloat32">,
    options: {
      readonly state: Readonly<Record<string, StateSpec>>;
      readonly functions: Readonly<Record<string, JitFunction>>;
      readonly mode: "graph" | "xla";
      readonly precision: JitPrecision;
    },
  ) {
    const { state, functions, mode, precision } = options;
    this.mode = mode;
    this.precision = precision === "float32" && tensorFloat32 ? "tf32" : precision;
    this.#state = state;
    this.#binding = nodeBackend().binding;
    const gpu = this.#binding.isUsingGpuDevice();
    this.#gpu = gpu;
    // cuDNN's kernels take bfloat16: with precision float32 they would take digits that were asked for.
    const isLaunched = mode === "xla";
    const target = { fusedAttention: gpu && isLaunched && precision === "bfloat16", calls: isLaunched };
    const traced = Object.entries(functions).map(([name, fn]) =>
      traceFunction(name, state, fn.inputs, fn.body, target),
    );
    for (const fn of traced) checkOutputs(fn);
    const started = performance.now();
    const program = buildProgram(state, traced, {
      xla: mode === "xla",
      gpu,
      halfProducts: precision === "bfloat16",
    });
    const { sessionId } = loadGraph(this.#binding, program.nodes, program.functions);
    this.#sessionId = sessionId;
    this.#entries = program.state;
    this.#writer = program.writer;
    this.#empty = new Set(program.state.keys());
    const loadMs = performance.now() - started;
    this.#functions = new Map(traced.map((fn) => [fn.name, loaded(fn, program, loadMs, mode)]));
  }

  call(name: string, inputs: HostArrays): Record<string, HostArray> {
    const started = performance.now();
    const fn = this.#functions.get(name);
    if (fn === undefined) throw unknownFunction(name, this.#functions.keys());
    const arrays = orderedInputs(name, fn.inputs, inputs);
    const specs = Object.values(fn.inputs);
    const { nodes, donates, uses } = fn;
    this.#fillEmpty(uses);
    const values = this.#feed(specs, arrays, { what: `function ${JSON.stringify(name)}`, nodes, donates });
    const outputs: Record<string, HostArray> = {};
    Object.keys(fn.outputs).forEach((key, index) => {
      const value = values[index];
      if (value !== undefined) outputs[key] = value;
    });
    fn.stats.add(performance.now() - started);
    return outputs;
  }

  writeState(values: HostArrays): void {
    checkState(this.#state, values);
    // Each run holds the arrays, the addon's aligned copies of them and the variables' copies: a few entries a run.
    let names: string[] = [];
    let bytes = 0;
    for (const [name, array] of Object.entries(values)) {
      if (this.#writeAlone(name, array)) continue;
      if (names.length > 0 && bytes + array.byteLength > MAX_WRITTEN_BYTES) {
        this.#write(names, values);
        names = [];
        bytes = 0;
      }
      names.push(name);
      bytes += array.byteLength;
    }
    if (names.length > 0) this.#write(names, values);
  }

  /** By the function that writes any entry; false where it does not know this one. */
  #writeAlone(name: string, array: HostArray): boolean {
    const index = this.#writer?.indices.get(name);
    if (this.#writer === undefined || index === undefined) return false;
    const nodes = this.#writer;
    const specs: TensorSpec[] = [{ shape: [], dtype: "int32" }, stateSpec(this.#state, name)];
    this.#feed(specs, [Int32Array.of(index), array], { what: `writing entry ${name} to the state`, nodes });
    this.#empty.delete(name);
    return true;
  }

  #write(names: readonly string[], values: HostArrays): void {
    const entries = names.map((name) => this.#entry(name));
    const specs = names.map((name) => stateSpec(this.#state, name));
    const arrays = names.map((name) => values[name] as HostArray);
    const nodes = {
      feeds: entries.map((entry) => entry.feed).join(),
      fetches: entries.map((entry) => entry.written).join(),
    };
    this.#feed(specs, arrays, { what: `writing ${named(names)} to the state`, nodes });
    for (const name of names) this.#empty.delete(name);
  }

  /** Together, since every set of names is prepared by itself; those that are lazy with the first that are used. */
  #fillEmpty(used: ReadonlySet<string>): void {
    if (this.#empty.size === 0) return;
    const names = [...this.#empty].filter((name) => used.has(name) || this.#state[name]?.lazy !== true);
    if (names.length === 0) return;
    const fetches = names.map((name) => this.#entry(name).zeroed).join();
    this.#run([], { what: `making ${named(names)} of the state`, nodes: { feeds: "", fetches } });
    for (const name of names) this.#empty.delete(name);
  }

  readState(names: readonly string[] = Object.keys(this.#state)): Record<string, HostArray> {
    if (names.length === 0) return {};
    for (const name of names) {
      this.#entry(name);
      checkHostSize(`state ${JSON.stringify(name)}`, stateSpec(this.#state, name));
    }
    this.#fillEmpty(new Set(names));
    const fetches = names.map((name) => this.#entry(name).read).join();
    const nodes = { feeds: "", fetches };
    const values = this.#run([], { what: `reading ${named(names)} of the state`, nodes });
    return Object.fromEntries(names.map((name, index) => [name, values[index] ?? new Float32Array()]));
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
    // Variables whose memory XLA has freed would be freed once more (JIT-LAUNCH-4).
    if (this.#lostBy === undefined) this.#binding.deleteSavedModel(this.#sessionId);
    this.#sessionId = undefined;
  }

  #entry(name: string): StateNodes {
    const entry = this.#entries.get(name);
    if (entry !== undefined) return entry;
    throw new JitError("UNKNOWN_STATE", `the state has no entry ${JSON.stringify(name)}`);
  }

  /** Runs with host arrays as inputs. Their handles live as long as the run. */
  #feed(specs: readonly TensorSpec[], arrays: readonly HostArray[], run: Run): HostArray[] {
    const ids: number[] = [];
    try {
      for (const [index, { shape, dtype }] of specs.entries()) {
        const values = arrays[index];
        if (values !== undefined) ids.push(this.#binding.createTensor([...shape], DATA_TYPE[dtype], values));
      }
      return this.#run(ids, run);
    } finally {
      for (const id of ids) this.#binding.deleteTensor(id);
    }
  }

  #run(ids: number[], { what, nodes: { feeds, fetches }, donates = false }: Run): HostArray[] {
    if (this.#sessionId === undefined) throw disposed();
    if (this.#lostBy !== undefined)
      throw new JitError(
        "STATE_LOST",
        `${what} cannot run: ${this.#lostBy} failed and took the state with it; make another module, in another process to have the memory back`,
      );
    let outputs: ReturnType<TensorflowBinding["runSavedModel"]>;
    try {
      outputs = this.#binding.runSavedModel(this.#sessionId, ids, feeds, fetches);
    } catch (cause) {
      if (donates) this.#lostBy = what;
      throw executionError(what, cause, { gpu: this.#gpu, losesState: donates });
    }
    return outputs.map(({ id }) => {
      const values = this.#binding.tensorDataSync(id);
      this.#binding.deleteTensor(id);
      return values;
    });
  }
}

/** Entries of the state, for an error's message. */
function named(names: readonly string[]): string {
  const [first = "nothing", ...others] = names;
  return others.length === 0 ? `entry ${first}` : `${names.length} entries, ${first} among them,`;
}

function checkOutputs({ name, outputs }: TracedFunction): void {
  for (const [key, { shape, dtype }] of outputs) {
    const label = `output ${JSON.stringify(key)} of function ${JSON.stringify(name)}`;
    checkHostSize(label, { shape, dtype: dtypeOf(dtype) });
  }
}

function loaded(
  fn: TracedFunction,
  program: GraphProgram,
  loadMs: number,
  mode: "graph" | "xla",
): LoadedFunction {
  const nodes = program.calls.get(fn.name);
  if (nodes === undefined) throw unknownFunction(fn.name, program.calls.keys());
  const outputs = Object.fromEntries(
    [...fn.outputs].map(([key, { shape, dtype }]) => [key, { shape, dtype: dtypeOf(dtype) }]),
  );
  const results = [...fn.outputs.values(), ...fn.state.values()];
  const live = liveness(results);
  const operations = liveCount(live);
  const read = sources(live, results).flatMap(({ origin }) => (origin.kind === "state" ? [origin.name] : []));
  return {
    inputs: fn.inputs,
    outputs,
    nodes,
    donates: mode === "xla" && fn.state.size > 0,
    uses: new Set([...read, ...fn.state.keys()]),
    stats: new StatsRecorder({ traceMs: fn.traceMs, loadMs, operations }),
  };
}
