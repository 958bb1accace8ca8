import type { AdamStep } from "./adam-step.js";
import type { FunctionProto, NodeProto } from "./graph-protos.js";
import type { InPlaceWrite } from "./memory.js";
import type { Callee, Operation } from "./value.js";

/** What a graph's parts share while they are written. */
export interface Program {
  readonly nodes: NodeProto[];
  readonly functions: FunctionProto[];
  /** The functions written for each body that is called, by the types of its arguments. */
  readonly callees: Map<Callee, Map<string, string>>;
  /** Functions are launches: each compiled whole, see emit-launch.ts. */
  readonly xla: boolean;
  /** The session runs on a GPU. */
  readonly gpu: boolean;
  /** Matrix products take their inputs in bfloat16. */
  readonly halfProducts: boolean;
  /** State entries that are stored in bfloat16. */
  readonly halves: ReadonlySet<string>;
  /** Operations that write rows into a variable in place. */
  readonly inPlace: ReadonlyMap<Operation, InPlaceWrite>;
  /** Optimizer steps that go into variables. */
  readonly adamSteps: ReadonlyMap<Operation, AdamStep>;
  /** Node of each state entry's variable, of the first replica. */
  readonly variables: ReadonlyMap<string, string>;
  /** The same of each replica. */
  readonly replicas: readonly ReadonlyMap<string, string>[];
}

/** Where a replica's variables and launches are; undefined: TensorFlow chooses. */
export function deviceOf({ xla, gpu }: Pick<Program, "xla" | "gpu">, replica: number): string | undefined {
  return xla && gpu ? `/device:GPU:${replica}` : undefined;
}
