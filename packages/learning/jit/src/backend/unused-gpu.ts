import { readdirSync } from "node:fs";
import { gpuNames } from "../base/gpu-device.js";

/** The folder in which NVIDIA's driver lists its GPUs, whether nvidia-smi is on the PATH or not. */
const driverFolder = "/proc/driver/nvidia/gpus";

/** The command that finds, downloads and links what is missing, and tests it. */
const setup = "run `npx palimpsest setup gpu`";

interface LoadedBackend {
  readonly name: string;
  readonly gpu: boolean;
  readonly passedOver: readonly string[];
}

/** GPUs of this machine by name, whether usable or not; without nvidia-smi by their bus address. */
export function machineGpus(folder = driverFolder): string[] {
  const names = gpuNames();
  if (names.length > 0) return names;
  try {
    return readdirSync(folder).map((place) => `GPU at ${place}`);
  } catch {
    return [];
  }
}

/** Returns whether CUDA_VISIBLE_DEVICES leaves CUDA no device: it is empty, or begins with an invalid one. */
export function hidesGpus(visible: string | undefined): boolean {
  return visible !== undefined && /^\s*(-|$)/.test(visible);
}

/**
 * Explains in one line why a process computes on the CPU of a machine that has a GPU, with the command that helps. Undefined if
 * the GPU is used, if there is none, and if CUDA_VISIBLE_DEVICES hides it, which is deliberate.
 */
export function unusedGpu(
  backend: LoadedBackend,
  visible: string | undefined,
  gpus: readonly string[] = machineGpus(),
): string | undefined {
  if (backend.gpu || gpus.length === 0 || hidesGpus(visible)) return undefined;
  return `this machine has ${gpus.join(", ")}, but the backend computes on the CPU: ${cause(backend)}; ${setup}`;
}

/** The error for a caller who requested a GPU that is not used; undefined if it is used. */
export function missingGpu(
  backend: LoadedBackend,
  visible: string | undefined,
  gpus: readonly string[] = machineGpus(),
): string | undefined {
  if (backend.gpu) return undefined;
  if (gpus.length === 0) return "this machine has no GPU that nvidia-smi or /proc/driver/nvidia lists";
  if (hidesGpus(visible))
    return `CUDA_VISIBLE_DEVICES=${JSON.stringify(visible)} hides ${gpus.join(", ")}; in a run, lease one (learnerGpus, rollout.gpus)`;
  return unusedGpu(backend, visible, gpus);
}

function cause({ name, passedOver }: LoadedBackend): string {
  if (name === "tensorflow")
    return "libtensorflow is the build for CPUs, or it does not find the libraries of CUDA, cuDNN or NCCL";
  return passedOver.length > 0 ? passedOver.join("; ") : `the backend ${name} does not use GPUs`;
}
