import type { Backend } from "../backend/backend.js";
import { JitError } from "../base/error.js";
import type { StateSpec } from "../base/spec.js";
import type { JitMode } from "./jit-module.js";

/** Refuses replicas that a mode does not support or for which there are not enough GPUs. */
export function checkReplicas(replicas: number, mode: JitMode, backend: Pick<Backend, "gpu" | "gpus">): void {
  const refuse = (problem: string): never => {
    throw new JitError("INVALID_OPTIONS", `replicas is ${replicas}${problem}`);
  };
  if (!Number.isInteger(replicas) || replicas < 1) refuse("; give a whole number > 0");
  if (replicas === 1) return;
  if (mode !== "xla") refuse(`, but mode ${mode} has only one; use mode xla`);
  if (backend.gpu && backend.gpus !== undefined && replicas > backend.gpus)
    refuse(
      `, which need a GPU each, but this process sees ${backend.gpus}; lower replicas, or let the process see more (CUDA_VISIBLE_DEVICES)`,
    );
}

/** Refuses reductions of entries that are not entirely float32: NCCL in this TensorFlow has no bfloat16. */
export function checkReductions(
  reductions: Readonly<Record<string, readonly string[]>>,
  state: Readonly<Record<string, StateSpec>>,
): void {
  for (const [name, entries] of Object.entries(reductions))
    for (const entry of entries) {
      const { dtype, stored = dtype } = state[entry] ?? {};
      if (dtype === "float32" && stored === "float32") continue;
      throw new JitError(
        "INVALID_OPTIONS",
        `reductions.${name} names ${entry}, which is ${dtype === undefined ? "not in the state" : `stored as ${stored}`}; only float32 entries are summed over replicas`,
      );
    }
}
