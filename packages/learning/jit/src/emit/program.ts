import type { FunctionProto, NodeProto } from "../base/graph-protos.js";
import { type StateSpec, sizeOf } from "../base/spec.js";
import { BFLOAT16, DATA_TYPE } from "../base/tensorflow-binding.js";
import type { TracedFunction } from "../trace/traced-function.js";
import type { Operation, Value } from "../trace/value.js";
import type { AdamStep } from "./adam-step.js";
import { constant, shapeProto, text, typeOf } from "./attributes.js";
import { continuedWrites } from "./continued-writes.js";
import { Emitter } from "./emit.js";
import { adamSteps, readBesides, sequenceSteps } from "./emit-adam.js";
import { emitLaunches } from "./emit-launch-call.js";
import { emitOperations } from "./emit-operations.js";
import { deviceOf, type Program } from "./emit-program.js";
import { emitReduction } from "./emit-reduction.js";
import type { FunctionNodes } from "./function-nodes.js";
import { emitHalfReader, type HalfReader } from "./half-reader.js";
import { type Live, liveness, sources } from "./liveness.js";
import { type InPlaceWrite, inPlaceWrites, sharesMemory } from "./memory.js";
import { emitWriter, type StateWriter } from "./state-writer.js";

/*
 * Responsibility: several traced functions over one state as one graph. State entries are variables that all functions share;
 * inputs are placeholders of each function; a call feeds one function's placeholders and fetches its outputs.
 *
 * JIT-PROGRAM-1. A function's outputs and its new state are computed from the state before the call: a variable is
 *     assigned after its read, and outputs are fetched after all assignments.
 * JIT-PROGRAM-2. A row write goes into the variable itself only if its result is the variable's new value and everything that reads
 *     the old rows can run before it, and does; into the result of another row write only if everything else that reads that is
 *     traced before it, and then it waits for that. Otherwise it writes a copy.
 * JIT-PROGRAM-3. A variable that is written in place owns its memory: a value that is assigned to it as a whole is copied in, and one
 *     that is assigned from it to another variable is copied out.
 * JIT-PROGRAM-4. No variable keeps memory of JavaScript's: the addon passes arrays on without a copy, and TensorFlow may release
 *     them on any thread.
 * JIT-PROGRAM-5. TensorFlow's graph optimizer leaves launches as they were traced. XLA optimizes them itself, and where a function may need
 *     more than 80 % of a GPU's memory that optimizer inserts operations which XLA does not know (TemporaryVariable).
 */

/** The nodes of one replica. */
export interface ReplicaNodes {
  readonly calls: ReadonlyMap<string, FunctionNodes>;
  readonly state: ReadonlyMap<string, StateNodes>;
  /** Absent if TensorFlow chooses each variable's device. */
  readonly writer: StateWriter | undefined;
  /** Absent as the writer is, or if no entry is read in this way. */
  readonly halfReader: HalfReader | undefined;
}

export interface GraphProgram {
  readonly nodes: readonly NodeProto[];
  readonly functions: readonly FunctionProto[];
  readonly replicas: readonly ReplicaNodes[];
  /** By name; empty if there is one replica. */
  readonly reductions: ReadonlyMap<string, FunctionNodes>;
}

type ProgramOptions = Pick<Program, "xla" | "gpu" | "halfProducts"> & {
  /** More than one only in launches. Default 1. */
  readonly replicas?: number;
  readonly reductions?: Readonly<Record<string, readonly string[]>>;
};

/** Node names of one state entry. */
export interface StateNodes {
  readonly feed: string;
  /** When fetched, the entry takes the fed value. */
  readonly written: string;
  /** When fetched, the entry becomes zeros. Absent for float32 entries, which the state writer fills. */
  readonly zeroed?: string;
  readonly read: string;
}

export function buildProgram(
  state: Readonly<Record<string, StateSpec>>,
  traced: readonly TracedFunction[],
  { replicas: count = 1, reductions = {}, ...options }: ProgramOptions,
): GraphProgram {
  const replicas = Array.from(
    { length: count },
    (_, replica) =>
      new Map(Object.keys(state).map((key, index) => [key, `${stateName(replica)}/variable_${index}`])),
  );
  const [variables = new Map<string, string>()] = replicas;
  const halves = new Set(Object.keys(state).filter((key) => state[key]?.stored === "bfloat16"));
  const inPlace = new Map<Operation, InPlaceWrite>();
  const continued = new Map<Operation, readonly Operation[]>();
  const steps = new Map<Operation, AdamStep>();
  if (!options.xla) {
    for (const fn of traced) {
      const live = liveOf(fn);
      const writes = inPlaceWrites(fn, live.operations);
      for (const [operation, write] of writes) inPlace.set(operation, write);
      for (const [operation, after] of continuedWrites(fn, live.operations, writes))
        continued.set(operation, after);
      for (const [operation, step] of adamSteps(fn, live.operations))
        if (!Object.values(step).some((name) => halves.has(name))) steps.set(operation, step);
    }
  }
  const owners = new Set([...inPlace.values()].map(({ state: key }) => key));
  const program: Program = {
    nodes: [],
    functions: [],
    callees: new Map(),
    ...options,
    halves,
    shapes: new Map(Object.entries(state).map(([key, { shape }]) => [key, shape])),
    inPlace,
    continued,
    adamSteps: steps,
    variables,
    replicas,
  };
  const states = replicas.map((own, replica) => emitState(program, state, own, owners, replica));
  const stored = (key: string): number =>
    halves.has(key) ? BFLOAT16 : DATA_TYPE[state[key]?.dtype ?? "float32"];
  const calls = traced.map((fn, index) =>
    options.xla
      ? emitLaunches(program, fn, launchName(fn.name, index, traced), stored)
      : [emitFunction(program, fn, `f${index}`, variables, owners)],
  );
  const hasWriter = options.xla || !options.gpu;
  const nodesOf = replicas.map(
    (_, replica): ReplicaNodes => ({
      calls: new Map(
        traced.map((fn, index) => [fn.name, calls[index]?.[replica] ?? { feeds: "", fetches: "" }]),
      ),
      state: states[replica] ?? new Map(),
      writer: hasWriter ? emitWriter(program, state, replica) : undefined,
      halfReader: hasWriter ? emitHalfReader(program, state, replica) : undefined,
    }),
  );
  const sums = count === 1 ? [] : Object.entries(reductions);
  const bytes = (name: string): number => 4 * sizeOf(state[name]?.shape ?? []);
  return {
    nodes: program.nodes,
    functions: options.xla ? program.functions.map(leftAsTraced) : program.functions,
    replicas: nodesOf,
    reductions: new Map(
      sums.map(([name, entries]) => [
        name,
        emitReduction(
          program,
          name,
          entries.map((entry) => ({ name: entry, bytes: bytes(entry) })),
        ),
      ]),
    ),
  };
}

/** JIT-PROGRAM-5: TensorFlow's optimizer skips functions of tf.data, which have this attribute; nothing else checks for it. */
function leftAsTraced(fn: FunctionProto): FunctionProto {
  return { ...fn, attr: { ...fn.attr, _tf_data_function: { b: true } } };
}

/** Prefix of a replica's variables; the names of the first do not depend on whether there are others. */
function stateName(replica: number): string {
  return replica === 0 ? "state" : `state_replica${replica}`;
}

/** A function's name in the characters that TensorFlow allows, numbered where two would be equal. */
function launchName(name: string, index: number, traced: readonly TracedFunction[]): string {
  const plain = (given: string): string => given.replaceAll(/[^A-Za-z0-9_]/g, "_");
  const isTaken = traced.slice(0, index).some((other) => plain(other.name) === plain(name));
  return isTaken ? `f_${plain(name)}_${index}` : `f_${plain(name)}`;
}

function emitState(
  program: Program,
  state: Readonly<Record<string, StateSpec>>,
  variables: ReadonlyMap<string, string>,
  owners: ReadonlySet<string>,
  replica: number,
): ReplicaNodes["state"] {
  const emitter = new Emitter({ ...program, xla: false }, stateName(replica), false);
  const entries = new Map<string, StateNodes>();
  let index = 0;
  for (const [key, spec] of Object.entries(state)) {
    const dtype = DATA_TYPE[spec.dtype];
    const variable = variables.get(key) ?? "";
    const half = program.halves.has(key);
    const type = { dtype: typeOf(half ? BFLOAT16 : dtype) };
    const shape = { shape: shapeProto(spec.shape) };
    emitter.node(
      "VarHandleOp",
      [],
      { ...type, shape, shared_name: text(variable), container: text("") },
      // Launches and their variables are on one device; elsewhere TensorFlow chooses.
      { name: `variable_${index}`, device: deviceOf(program, replica) },
    );
    const zeroed = () => {
      // Filled zeros may become one constant shared by several entries; Empty's are separate each time, without a copy.
      const empty = () =>
        emitter.node("Empty", [emitter.int(spec.shape)], { dtype: typeOf(dtype), init: { b: true } });
      const zeros = owners.has(key) ? empty() : emitter.fill(dtype, spec.shape, 0);
      const zeroing = emitter.node("AssignVariableOp", [variable, zeros], type);
      return `${emitter.node("Const", [`^${zeroing}`], constant(DATA_TYPE.int32, [], [0]))}:0`;
    };
    const { feed, value } = emitter.fed(dtype, spec.shape);
    const copied = half
      ? emitter.cast(value, dtype, BFLOAT16)
      : emitter.node("DeepCopy", [value], { T: typeOf(dtype) });
    const write = emitter.node("AssignVariableOp", [variable, copied], type);
    const written = emitter.node("Const", [`^${write}`], constant(DATA_TYPE.int32, [], [0]));
    const held = emitter.node("ReadVariableOp", [variable], type);
    const read = half ? emitter.cast(held, BFLOAT16, dtype) : held;
    entries.set(key, {
      feed: `${feed}:0`,
      written: `${written}:0`,
      read: `${read}:0`,
      ...(spec.dtype === "float32" ? {} : { zeroed: zeroed() }),
    });
    index += 1;
  }
  return entries;
}

function emitFunction(
  program: Program,
  fn: TracedFunction,
  prefix: string,
  variables: ReadonlyMap<string, string>,
  owners: ReadonlySet<string>,
): FunctionNodes {
  const emitter = new Emitter(program, prefix, false);
  const live = liveOf(fn);
  const reads = new Map<string, string>();
  const fed = new Map(
    Object.entries(fn.inputs).map(([key, { dtype, shape }]) => [key, emitter.fed(DATA_TYPE[dtype], shape)]),
  );
  for (const value of sources(live, [...fn.outputs.values(), ...fn.state.values()])) {
    if (value.origin.kind === "input") emitter.bind(value, fed.get(value.origin.name)?.value ?? "");
    if (value.origin.kind !== "state") continue;
    const { name } = value.origin;
    const half = program.halves.has(name);
    const dtype = typeOf(half ? BFLOAT16 : value.dtype);
    const read = emitter.node("ReadVariableOp", [variables.get(name) ?? ""], { dtype });
    reads.set(name, read);
    if (half) emitter.bindStored(value, read);
    else emitter.bind(value, read);
  }
  emitOperations(emitter, fn.root.operations, live);
  emitter.orderWrites();

  const after: string[] = [];
  const read = readBesides(fn, live.operations, program.adamSteps);
  const dependency = (key: string): string[] => (read.has(key) ? [`^${reads.get(key)}`] : []);
  const stepped = new Map<string, string>();
  for (const [operation, step] of emitter.steps) {
    const names = program.adamSteps.get(operation);
    const waits = Object.values(names ?? {}).flatMap(dependency);
    for (const change of step.changes) change.push(...waits);
    if (step.gradient !== undefined) stepped.set(step.gradient, step.node);
    after.push(`^${step.node}`);
  }
  const assignments = new Map<string, string>();
  for (const [key, value] of fn.state) {
    const operation = value.origin.kind === "operation" ? value.origin.operation : undefined;
    if (operation !== undefined && emitter.steps.has(operation)) continue;
    if (writesInPlace(program, value)) {
      after.push(`^${emitter.held(value)}`);
      continue;
    }
    const variable = variables.get(key) ?? "";
    const step = stepped.get(key);
    const waits = [...dependency(key), ...(step === undefined ? [] : [`^${step}`])];
    // Zeros are created when they are needed, not at the start of the call.
    const reference =
      operation?.name === "ZerosLike"
        ? emitter.fill(value.dtype, value.shape, 0, waits)
        : emitter.reference(value);
    const half = program.halves.has(key);
    const dtype = typeOf(half ? BFLOAT16 : value.dtype);
    const whole = half ? (emitter.stored(value) ?? emitter.half(reference)) : reference;
    const assigned =
      owners.has(key) || sharesMemory(value, (name) => owners.has(name))
        ? emitter.node("DeepCopy", [whole], { T: dtype })
        : whole;
    const node = emitter.node("AssignVariableOp", [variable, assigned, ...waits], { dtype });
    assignments.set(key, node);
    after.push(`^${node}`);
  }
  sequenceSteps(emitter.steps.values(), assignments);
  const fetches = [...fn.outputs.values()].map((value) => {
    const attributes = { T: typeOf(value.dtype) };
    return `${emitter.node("Identity", [emitter.reference(value), ...after], attributes)}:0`;
  });
  if (fetches.length === 0) {
    const done = emitter.node("Const", after, constant(DATA_TYPE.int32, [], [0]));
    fetches.push(`${done}:0`);
  }
  return { feeds: [...fed.values()].map(({ feed }) => `${feed}:0`).join(), fetches: fetches.join() };
}

function liveOf(fn: TracedFunction): Live {
  return liveness([...fn.outputs.values(), ...fn.state.values()]);
}

function writesInPlace(program: Program, value: Value): boolean {
  return value.origin.kind === "operation" && program.inPlace.has(value.origin.operation);
}
