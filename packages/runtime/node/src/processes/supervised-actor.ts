import type { ActorProcess } from "./actor-process.js";

/** One process of one actor, as the supervisor needs it. */
export type SupervisedActor = Pick<ActorProcess, "pid" | "ready" | "ended" | "stop" | "stopping" | "adopt"> &
  Partial<Pick<ActorProcess, "stack" | "received" | "snapshotFailed">> & {
    /** Ends a light actor at once and with certainty. */
    fence?(reason: string): void;
  };
