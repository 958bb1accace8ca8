import { execFileSync } from "node:child_process";

const MIB = 2 ** 20;
/** nvidia-smi answers in well under a second where its driver is well. */
const TIMEOUT_MS = 10_000;

/**
 * One field of every GPU as nvidia-smi tells it; none where it cannot be asked.
 * @param ids of the GPUs that are asked about; default all
 */
function query(field: string, ids?: string): string[] {
  try {
    const stdio: ("ignore" | "pipe")[] = ["ignore", "pipe", "ignore"];
    const options = { encoding: "utf8", timeout: TIMEOUT_MS, stdio } as const;
    const text = execFileSync(
      "nvidia-smi",
      [`--query-gpu=${field}`, "--format=csv,noheader,nounits", ...(ids ? [`--id=${ids}`] : [])],
      options,
    );
    return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
  } catch {
    return [];
  }
}

/** Memory of the smallest GPU of this machine. */
export function gpuMemory(): { readonly gpuMemoryBytes?: number } {
  const sizes = query("memory.total").map(Number).filter(Number.isFinite);
  return sizes.length === 0 ? {} : { gpuMemoryBytes: Math.min(...sizes) * MIB };
}

/** Memory that is free on the GPU of this machine that has the least; undefined where nvidia-smi does not say. */
export function gpuFreeMemory(): number | undefined {
  const sizes = query("memory.free").map(Number).filter(Number.isFinite);
  return sizes.length === 0 ? undefined : Math.min(...sizes) * MIB;
}

/**
 * Memory in use, by whatever process, on the fullest of the GPUs that a process sees; undefined where nvidia-smi does not say.
 * @param visible the process's CUDA_VISIBLE_DEVICES
 */
export function gpuUsedMemory(visible: string | undefined): number | undefined {
  const sizes = query("memory.used", visible).map(Number).filter(Number.isFinite);
  return sizes.length === 0 ? undefined : Math.max(...sizes) * MIB;
}

/** Compute capabilities of the GPUs of this machine, such as 9.0; none where nvidia-smi does not say. */
export function gpuCapabilities(): number[] {
  return query("compute_cap").map(Number).filter(Number.isFinite);
}

/** Names of the GPUs of this machine, each once. */
export function gpuNames(): string[] {
  return [...new Set(query("name"))].sort();
}

/** GPUs that this process sees: those of the machine, or as many as CUDA_VISIBLE_DEVICES names. */
export function visibleGpus(visible: string | undefined): { readonly gpus?: number } {
  const there = query("index").length;
  // CUDA looks at nothing behind the first name that it does not know.
  const names = visible?.split(",").map((name) => name.trim());
  const unknown = names?.findIndex((name) => name === "" || name.startsWith("-")) ?? -1;
  const named = unknown < 0 ? names?.length : unknown;
  if (named === undefined) return there === 0 ? {} : { gpus: there };
  return { gpus: there === 0 ? named : Math.min(named, there) };
}
