import type { FunctionProto, NodeProto } from "../base/graph-protos.js";
import type { Callee, Operation } from "../trace/value.js";
import type { AdamStep } from "./adam-step.js";
import type { InPlaceWrite } from "./memory.js";

/** State shared by the parts of a graph while they are emitted. */
export interface Program {
  readonly nodes: NodeProto[];
  readonly functions: FunctionProto[];
  /** The functions emitted for each called body, by the types of its arguments. */
  readonly callees: Map<Callee, Map<string, string>>;
  /** Functions are launches: each is compiled as a whole, see emit-launch.ts. */
  readonly xla: boolean;
  /** The session runs on a GPU. */
  readonly gpu: boolean;
  /** Matrix products take their inputs in bfloat16. */
  readonly halfProducts: boolean;
  /** State entries that are stored in bfloat16. */
  readonly halves: ReadonlySet<string>;
  /** The shape of each state entry. */
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  /** Operations that write rows into a variable in place. */
  readonly inPlace: ReadonlyMap<Operation, InPlaceWrite>;
  /** Operations that write rows into the result of another row write, and what they wait for. */
  readonly continued: ReadonlyMap<Operation, readonly Operation[]>;
  /** Optimizer steps that write to variables directly. */
  readonly adamSteps: ReadonlyMap<Operation, AdamStep>;
  /** The variable node of each state entry, for the first replica. */
  readonly variables: ReadonlyMap<string, string>;
  /** The same for each replica. */
  readonly replicas: readonly ReadonlyMap<string, string>[];
}

/** The device of a replica's variables and launches; undefined: TensorFlow chooses. */
export function deviceOf({ xla, gpu }: Pick<Program, "xla" | "gpu">, replica: number): string | undefined {
  return xla && gpu ? `/device:GPU:${replica}` : undefined;
}
