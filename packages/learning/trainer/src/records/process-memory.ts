import { type Backend, gpuUsedMemory } from "@palimpsest/jit";

/** Peak memory of a process of a run since it started. */
export interface ProcessMemory {
  /** Peak resident set size, bytes. */
  readonly peakRssBytes: number;
  /** Used memory of the fullest visible GPU, counting all processes; absent: it uses no GPU, or nvidia-smi does not report it. */
  readonly gpuUsedBytes?: number;
  /** Total memory of this GPU. */
  readonly gpuBytes?: number;
}

/** Peak resident set size of this process, bytes. */
export function peakRssBytes(): number {
  // Node reports kibibytes on every platform.
  return process.resourceUsage().maxRSS * 1024;
}

/**
 * Returns the memory of this process and of its GPU. TensorFlow never returns GPU memory, so the usage at the end of a run is
 * its peak.
 */
export function processMemory(backend: Pick<Backend, "gpu" | "gpuMemoryBytes">): ProcessMemory {
  const gpuUsedBytes = backend.gpu ? gpuUsedMemory(process.env["CUDA_VISIBLE_DEVICES"]) : undefined;
  return {
    peakRssBytes: peakRssBytes(),
    ...(gpuUsedBytes === undefined ? {} : { gpuUsedBytes }),
    ...(backend.gpuMemoryBytes === undefined ? {} : { gpuBytes: backend.gpuMemoryBytes }),
  };
}
