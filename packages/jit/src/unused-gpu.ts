import { readdirSync } from "node:fs";
import { gpuNames } from "./gpu-device.js";

/** Where NVIDIA's driver lists its GPUs, whether nvidia-smi is on the PATH or not. */
const driverFolder = "/proc/driver/nvidia/gpus";

/** The command that finds, fetches and links what is missing, and tries it. */
const setup = "run `npx palimpsest setup gpu`";

interface LoadedBackend {
  readonly name: string;
  readonly gpu: boolean;
  readonly passedOver: readonly string[];
}

/** GPUs of this machine by name, whether they may be used or not; of a driver without nvidia-smi by their place on the bus. */
export function machineGpus(folder = driverFolder): string[] {
  const names = gpuNames();
  if (names.length > 0) return names;
  try {
    return readdirSync(folder).map((place) => `GPU at ${place}`);
  } catch {
    return [];
  }
}

/** Whether the variable leaves CUDA no device: empty, or beginning with one that there is not. */
export function hidesGpus(visible: string | undefined): boolean {
  return visible !== undefined && /^\s*(-|$)/.test(visible);
}

/**
 * Why a process computes on the CPU of a machine that has a GPU, with the command that helps, in one line. Undefined where the
 * GPU is used, where there is none, and where CUDA_VISIBLE_DEVICES hides it: that was somebody's will.
 */
export function unusedGpu(
  backend: LoadedBackend,
  visible: string | undefined,
  gpus: readonly string[] = machineGpus(),
): string | undefined {
  if (backend.gpu || gpus.length === 0 || hidesGpus(visible)) return undefined;
  return `this machine has ${gpus.join(", ")}, and the backend computes on the CPU: ${cause(backend)}; ${setup}`;
}

/** What to tell whoever asked for a GPU that is not used; undefined where it is. */
export function missingGpu(
  backend: LoadedBackend,
  visible: string | undefined,
  gpus: readonly string[] = machineGpus(),
): string | undefined {
  if (backend.gpu) return undefined;
  if (gpus.length === 0) return "this machine has none: neither nvidia-smi nor /proc/driver/nvidia lists one";
  if (hidesGpus(visible))
    return `CUDA_VISIBLE_DEVICES=${JSON.stringify(visible)} hides ${gpus.join(", ")}; in a run, lease one (learnerGpus, rollout.gpus)`;
  return unusedGpu(backend, visible, gpus);
}

function cause({ name, passedOver }: LoadedBackend): string {
  if (name === "tensorflow")
    return "libtensorflow is the build for CPUs, or does not find the libraries of CUDA, cuDNN or NCCL";
  return passedOver.length > 0 ? passedOver.join("; ") : `the backend ${name} knows no GPU`;
}
