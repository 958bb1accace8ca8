import {
  freeWrappedHandles,
  gatherWithoutReadback,
  openBinding,
  restoreUtilFunctions,
  saysInOrder,
  tensorflowEnvironment,
} from "./binding-patches.js";
import { compileCacheEnvironment, compileCacheFolder } from "./compile-cache.js";
import { registerCpuKernels } from "./cpu-kernels.js";
import { JitError } from "./error.js";
import { gpuMemory, gpuNames, visibleGpus } from "./gpu-device.js";
import { roundsToTensorFloat32 } from "./tensor-float-32.js";
import { nodeBackend } from "./tensorflow-binding.js";
import { tf } from "./tf.js";
import { missingGpu, unusedGpu } from "./unused-gpu.js";
import { loadWasm } from "./wasm-backend.js";

export interface Backend {
  readonly name: "tensorflow" | "wasm" | "cpu";
  readonly tf: typeof tf;
  /** libtensorflow's version; absent elsewhere. */
  readonly tensorflowVersion?: string;
  /** The session runs on a GPU. */
  readonly gpu: boolean;
  /** Float32 matrix products round their inputs to TF32, as they do on newer GPUs without NVIDIA_TF32_OVERRIDE=0. */
  readonly tensorFloat32: boolean;
  /** Equal calls give equal bits: always on a CPU, on a GPU where it was asked for before the first load in this process. */
  readonly deterministic: boolean;
  /** Memory of that GPU, of the smallest where several are there; absent where nvidia-smi does not say. */
  readonly gpuMemoryBytes?: number;
  /** How many of them this process sees; absent where nobody says. */
  readonly gpus?: number;
  /** Why better backends were passed over, in order of preference. */
  readonly passedOver: readonly string[];
  /** Why a GPU of this machine that this process may see is not used, with the command that helps; absent: all is well. */
  readonly gpuUnused?: string;
}

export interface BackendOptions {
  /** "auto": tensorflow, else wasm, else cpu. Named: that one or an error. */
  readonly prefer?: "auto" | "tensorflow" | "wasm" | "cpu";
  /** "gpu": a GPU or an error. Default "auto": a GPU where one is there, else the CPU, and `gpuUnused` says why. */
  readonly device?: "auto" | "gpu";
  /** CPU threads of one operation. Takes effect at the first load in a process. */
  readonly threads?: number;
  /** Operations of a graph that TensorFlow runs side by side; default `threads`. Takes effect as `threads` does. */
  readonly operationsAtOnce?: number;
  /** Equal bits of equal calls on a GPU too, where some sums otherwise come in any order; slower. Takes effect as `threads` does. */
  readonly deterministic?: boolean;
}

type Name = Backend["name"];

/**
 * Makes a tensor backend active in this process. Loading the same backend again gives the same one.
 * @throws {JitError} BACKEND_UNAVAILABLE where `prefer` or `device` names one that cannot be had
 */
export async function loadBackend(options: BackendOptions = {}): Promise<Backend> {
  const prefer = options.prefer ?? "auto";
  if (options.threads !== undefined && !(Number.isInteger(options.threads) && options.threads > 0)) {
    throw new JitError(
      "INVALID_OPTIONS",
      `threads is ${options.threads}; give a whole number > 0, or leave it out`,
    );
  }
  const candidates: readonly Name[] = prefer === "auto" ? ["tensorflow", "wasm", "cpu"] : [prefer];
  const passedOver: string[] = [];
  for (const name of candidates) {
    try {
      const loaded = { ...(await load(name, options)), passedOver };
      const visible = process.env["CUDA_VISIBLE_DEVICES"];
      const missing = options.device === "gpu" ? missingGpu(loaded, visible) : undefined;
      if (missing !== undefined) throw new JitError("BACKEND_UNAVAILABLE", `a GPU was asked for: ${missing}`);
      const gpuUnused = unusedGpu(loaded, visible);
      return gpuUnused === undefined ? loaded : { ...loaded, gpuUnused };
    } catch (cause) {
      if (cause instanceof JitError && cause.code === "BACKEND_UNAVAILABLE") throw cause;
      const reason = `${name}: ${cause instanceof Error ? cause.message.split("\n")[0] : String(cause)}`;
      passedOver.push(reason);
      if (prefer !== "auto") {
        throw new JitError("BACKEND_UNAVAILABLE", `${reason}. Run: npx palimpsest doctor`, { cause });
      }
    }
  }
  throw new JitError(
    "BACKEND_UNAVAILABLE",
    `no tensor backend: ${passedOver.join("; ")}. Run: npx palimpsest doctor`,
  );
}

type Loaded = Omit<Backend, "passedOver" | "gpuUnused">;

async function load(name: Name, options: BackendOptions): Promise<Loaded> {
  if (name === "tensorflow") return loadTensorflow(options);
  if (name === "wasm") await loadWasm(options.threads);
  else await loadCpu();
  return { name, tf, gpu: false, tensorFloat32: false, deterministic: true };
}

/** Whether libtensorflow was loaded with sums in a fixed order. */
let sumsInOrder = false;

/** NVIDIA_TF32_OVERRIDE when libtensorflow was loaded: what a program sets later changes nothing. */
let tensorFloat32Override: string | undefined;

async function loadTensorflow(options: BackendOptions): Promise<Loaded> {
  if (tf.findBackend("tensorflow") === null) {
    restoreUtilFunctions();
    // libtensorflow takes these from the environment only, and reads them once.
    Object.assign(process.env, tensorflowEnvironment(process.env, options));
    Object.assign(process.env, compileCacheEnvironment(compileCacheFolder()));
    // On a CPU the optimizer's work is not won back; on a GPU functions are launches, which it leaves alone.
    if (gpuNames().length === 0) process.env["TENSORFLOW_GRAPH_REWRITES"] ??= "off";
    tensorFloat32Override = process.env["NVIDIA_TF32_OVERRIDE"];
    sumsInOrder = saysInOrder(process.env);
    await import("./tfjs-node.js");
    gatherWithoutReadback();
  }
  await activate("tensorflow");
  const backend = nodeBackend();
  openBinding(backend);
  freeWrappedHandles(backend);
  const { TF_Version, isUsingGpuDevice } = backend.binding;
  const gpu = isUsingGpuDevice();
  const memory = gpu ? { ...gpuMemory(), ...visibleGpus(process.env["CUDA_VISIBLE_DEVICES"]) } : {};
  const tensorFloat32 = gpu && roundsToTensorFloat32(tensorFloat32Override);
  const deterministic = !gpu || sumsInOrder;
  return {
    name: "tensorflow",
    tf,
    tensorflowVersion: TF_Version,
    gpu,
    tensorFloat32,
    deterministic,
    ...memory,
  };
}

async function loadCpu(): Promise<void> {
  registerCpuKernels();
  await activate("cpu");
  // tfjs prints an advertisement for tfjs-node at the first tensor.
  Reflect.set(tf.backend(), "firstUse", false);
}

async function activate(name: Name): Promise<void> {
  if (!(await tf.setBackend(name))) throw new Error(`tfjs could not start its backend ${name}`);
  await tf.ready();
}
