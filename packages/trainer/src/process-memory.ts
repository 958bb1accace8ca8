import { type Backend, gpuUsedMemory } from "@palimpsest/jit";

/** What a process of a run has taken since it began. */
export interface ProcessMemory {
  /** Its highest resident set. */
  readonly peakRssBytes: number;
  /** Of the fullest GPU that it sees, whoever uses it; absent: it computes on none, or nvidia-smi does not say. */
  readonly gpuUsedBytes?: number;
  /** All that this GPU has. */
  readonly gpuBytes?: number;
}

/** Highest resident set of this process. */
export function peakRssBytes(): number {
  // Kibibytes on every platform that Node reports it for.
  return process.resourceUsage().maxRSS * 1024;
}

/**
 * Memory of this process and of its GPU. TensorFlow keeps what it took of a GPU, so that what is used at a run's end is the most
 * that was used in it.
 */
export function processMemory(backend: Pick<Backend, "gpu" | "gpuMemoryBytes">): ProcessMemory {
  const gpuUsedBytes = backend.gpu ? gpuUsedMemory(process.env["CUDA_VISIBLE_DEVICES"]) : undefined;
  return {
    peakRssBytes: peakRssBytes(),
    ...(gpuUsedBytes === undefined ? {} : { gpuUsedBytes }),
    ...(backend.gpuMemoryBytes === undefined ? {} : { gpuBytes: backend.gpuMemoryBytes }),
  };
}
