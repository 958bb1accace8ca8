import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const MIB = 2 ** 20;
const PROGRAM = "nvidia-smi";
/** nvidia-smi answers in well under a second if its driver works. */
const TIMEOUT_MS = 10_000;

/**
 * Queries one field of every GPU from nvidia-smi; returns none if it is not available.
 * @param ids GPUs to query; default all
 */
function query(field: string, ids?: string): string[] {
  // Starting a program that is not there costs a fork, which takes longer the more memory this process has.
  if (!isOnPath(PROGRAM)) return [];
  try {
    const stdio: ("ignore" | "pipe")[] = ["ignore", "pipe", "ignore"];
    const options = { encoding: "utf8", timeout: TIMEOUT_MS, stdio } as const;
    const text = execFileSync(
      PROGRAM,
      [`--query-gpu=${field}`, "--format=csv,noheader,nounits", ...(ids ? [`--id=${ids}`] : [])],
      options,
    );
    return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
  } catch {
    return [];
  }
}

/** Returns whether a program may be started by its name; without a PATH the system has folders of its own. */
function isOnPath(program: string): boolean {
  const folders = process.env["PATH"]?.split(delimiter);
  return folders === undefined || folders.some((folder) => existsSync(join(folder, program)));
}

/** Returns the memory of this machine's smallest GPU. */
export function gpuMemory(): { readonly gpuMemoryBytes?: number } {
  const sizes = query("memory.total").map(Number).filter(Number.isFinite);
  return sizes.length === 0 ? {} : { gpuMemoryBytes: Math.min(...sizes) * MIB };
}

/** Returns the least free memory among this machine's GPUs; undefined if nvidia-smi does not report it. */
export function gpuFreeMemory(): number | undefined {
  const sizes = query("memory.free").map(Number).filter(Number.isFinite);
  return sizes.length === 0 ? undefined : Math.min(...sizes) * MIB;
}

/**
 * Returns the most memory in use, by any process, among the GPUs that a process sees; undefined if nvidia-smi does not report it.
 * @param visible the process's CUDA_VISIBLE_DEVICES
 */
export function gpuUsedMemory(visible: string | undefined): number | undefined {
  const sizes = query("memory.used", visible).map(Number).filter(Number.isFinite);
  return sizes.length === 0 ? undefined : Math.max(...sizes) * MIB;
}

/** Returns the compute capabilities of this machine's GPUs, such as 9.0; none if nvidia-smi does not report them. */
export function gpuCapabilities(): number[] {
  return query("compute_cap").map(Number).filter(Number.isFinite);
}

/** Returns the distinct names of this machine's GPUs. */
export function gpuNames(): string[] {
  return [...new Set(query("name"))].sort();
}

/** Returns the number of GPUs that this process sees: those of the machine, or as many as CUDA_VISIBLE_DEVICES names. */
export function visibleGpus(visible: string | undefined): { readonly gpus?: number } {
  const there = query("index").length;
  // CUDA ignores everything after the first name that it does not know.
  const names = visible?.split(",").map((name) => name.trim());
  const unknown = names?.findIndex((name) => name === "" || name.startsWith("-")) ?? -1;
  const named = unknown < 0 ? names?.length : unknown;
  if (named === undefined) return there === 0 ? {} : { gpus: there };
  return { gpus: there === 0 ? named : Math.min(named, there) };
}
