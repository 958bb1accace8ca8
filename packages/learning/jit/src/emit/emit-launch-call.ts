import { DATA_TYPE } from "../base/tensorflow-binding.js";
import { partName, type TracedFunction, wholeName } from "../trace/traced-function.js";
import { ownOutputs, stagesOf } from "../trace/traced-stages.js";
import { constant, text, typeOf } from "./attributes.js";
import { Emitter } from "./emit.js";
import { emitLaunch, type Launch } from "./emit-launch.js";
import { deviceOf, type Program } from "./emit-program.js";
import { emitExchange, emitWhole } from "./emit-shards.js";
import { emitSum } from "./emit-sum.js";
import type { FunctionNodes } from "./function-nodes.js";

/*
 * Responsibility: calls of a launched function on each replica, which TensorFlow has XLA compile as a whole; for a function of
 * several stages, one call after another, with sums over all replicas between them.
 * Not responsible for: the functions that are called (emit-launch.ts), sums of state entries (emit-reduction.ts), shards (emit-shards.ts).
 *
 * Invariants:
 * JIT-STAGE-1. What is summed is never a variable and never on the host: NCCL sums each output in the memory where the previous
 *     launch left it; two replicas are given each other's by TensorFlow, which copies between GPUs, and add them in their order.
 * JIT-STAGE-2. Sums between GPUs begin once the preceding launches have been enqueued on every replica. NCCL waits forever for a
 *     missing replica, so a launch that failed for lack of memory would otherwise hang the run.
 * JIT-STAGE-3. Every sum has the same bits on every replica, whereas separate computations on two replicas may differ by rounding
 *     even for equal inputs. Whatever all replicas must decide alike is therefore a sum.
 */

/**
 * @param name name of the function, unique in the program and the same in every process
 * @param stored returns the type in which a state entry is stored
 * @returns the nodes of each replica's call
 */
export function emitLaunches(
  program: Program,
  fn: TracedFunction,
  name: string,
  stored: (state: string) => number,
): FunctionNodes[] {
  const replicas = program.replicas.map((_, replica) => replicaCall(program, fn, name, replica));
  const stages = stagesOf(fn);
  const results: string[][] = replicas.map(() => []);
  for (const key of fn.shards?.whole ?? [])
    for (const [replica, whole] of emitWhole(replicas, key, stored(key)).entries())
      replicas[replica]?.given.set(wholeName(key), whole);
  stages.forEach((stage, index) => {
    const launch = emitLaunch(program, stage, index === 0 ? name : `next${index}_${name}`, stored);
    const outputs = replicas.map((replica) => emitCall(launch, replica));
    const keys = [...stage.outputs.keys()];
    const own = new Set(ownOutputs(stage).map(([key]) => key));
    keys.forEach((key, at) => {
      if (!own.has(key)) return;
      for (const [replica, references] of outputs.entries()) results[replica]?.push(references[at] ?? "");
    });
    emitExchange(program, replicas, stage, (key) =>
      outputs.map((references) => references[keys.indexOf(key)] ?? ""),
    );
    const byNccl = program.gpu && stage.next?.byParts === false;
    const ready = byNccl ? emitMeeting(replicas) : [];
    stage.next?.sums.forEach((key, sum) => {
      const given = outputs.map((references) => references[keys.indexOf(key)] ?? "");
      if (stage.next?.byParts) {
        for (const { given: known } of replicas)
          for (const [from, part] of given.entries()) known.set(partName(key, from), part);
        return;
      }
      const [first] = replicas;
      if (first === undefined) return;
      const sums = emitSum(first.main, given, `${name}_${index}_${sum}`, ready);
      for (const [replica, { given: known }] of replicas.entries()) known.set(key, sums[replica] ?? "");
    });
  });
  const types = stages.flatMap(ownOutputs).map(([, { dtype }]) => dtype);
  return replicas.map(({ main, feeds, last }, replica) => {
    // After the last launch, so that all of them run whatever is fetched.
    const fetches = types.map((dtype, at) => {
      const reference = results[replica]?.[at] ?? "";
      return `${main.node("Identity", [reference, `^${last}`], { T: typeOf(dtype) })}:0`;
    });
    if (fetches.length === 0)
      fetches.push(`${main.node("Const", [`^${last}`], constant(DATA_TYPE.int32, [], [0]))}:0`);
    return { feeds: feeds.map((feed) => `${feed}:0`).join(), fetches: fetches.join() };
  });
}

/** The state of emitting one replica's call. */
interface ReplicaCall {
  readonly main: Emitter;
  readonly device: string | undefined;
  readonly variables: ReadonlyMap<string, string>;
  readonly feeds: readonly string[];
  /** Nodes of the inputs, and of the sums so far. */
  readonly given: Map<string, string>;
  /** The most recently emitted launch. */
  last: string | undefined;
}

function replicaCall(program: Program, fn: TracedFunction, name: string, replica: number): ReplicaCall {
  const main = new Emitter(program, replica === 0 ? name : `${name}_replica${replica}`, false);
  const given = new Map<string, string>();
  const feeds: string[] = [];
  for (const [key, { dtype, shape }] of Object.entries(fn.inputs)) {
    const { feed, value } = main.fed(DATA_TYPE[dtype], shape);
    feeds.push(feed);
    given.set(key, value);
  }
  return {
    main,
    device: deviceOf(program, replica),
    variables: program.replicas[replica] ?? new Map(),
    feeds,
    given,
    last: undefined,
  };
}

/** @returns references to the launch's outputs */
function emitCall(launch: Launch, replica: ReplicaCall): string[] {
  const { main, device, variables, given, last } = replica;
  const none = text("");
  const call = main.node(
    "StatefulPartitionedCall",
    [
      ...launch.inputs.map(({ from, key }) => (from === "input" ? given : variables).get(key) ?? ""),
      ...(last === undefined ? [] : [`^${last}`]),
    ],
    {
      Tin: { list: { type: launch.inputs.map(({ argument }) => argument.type) } },
      Tout: { list: { type: launch.outputs } },
      f: { func: { name: launch.name } },
      _XlaMustCompile: { b: true },
      config: none,
      config_proto: none,
      executor_type: none,
    },
    { device },
  );
  replica.last = call;
  return main.references(call, launch.outputs.length, ["output"], true);
}

/** @returns by replica, control inputs that wait until the last launch of each replica has been enqueued */
function emitMeeting(replicas: readonly ReplicaCall[]): string[][] {
  const launched = replicas.map(({ last }) => `^${last}`);
  return replicas.map(({ main, device }) => [`^${main.node("NoOp", launched, {}, { device })}`]);
}
