import { inspect } from "node:util";
import { checkChoice, checkOptions, JitError } from "../base/error.js";
import { gpuMemory, gpuNames, visibleGpus } from "../base/gpu-device.js";
import { nodeBackend } from "../base/tensorflow-binding.js";
import { tf } from "../base/tf.js";
import {
  freeWrappedHandles,
  gatherWithoutReadback,
  openBinding,
  restoreUtilFunctions,
  saysInOrder,
  segmentSumOfTrace,
  tensorflowEnvironment,
} from "./binding-patches.js";
import { compileCacheEnvironment, compileCacheFolder } from "./compile-cache.js";
import { registerCpuKernels } from "./cpu-kernels.js";
import { fetchTensorflow } from "./fetched-tensorflow.js";
import { roundsToTensorFloat32 } from "./tensor-float-32.js";
import { missingGpu, unusedGpu } from "./unused-gpu.js";
import { loadWasm } from "./wasm-backend.js";

export interface Backend {
  readonly name: "tensorflow" | "wasm" | "cpu";
  readonly tf: typeof tf;
  /** libtensorflow's version; absent elsewhere. */
  readonly tensorflowVersion?: string;
  /** Whether the session runs on a GPU. */
  readonly gpu: boolean;
  /** Whether float32 matrix products round their inputs to TF32, as on newer GPUs without NVIDIA_TF32_OVERRIDE=0. */
  readonly tensorFloat32: boolean;
  /** Whether equal calls give equal bits: always on a CPU; on a GPU if requested before the first load in this process. */
  readonly deterministic: boolean;
  /** Memory of the GPU, or of the smallest one of several; absent if nvidia-smi does not report it. */
  readonly gpuMemoryBytes?: number;
  /** Number of GPUs that this process sees; absent if unknown. */
  readonly gpus?: number;
  /** Why preferred backends are unavailable, in order of preference. */
  readonly passedOver: readonly string[];
  /** Why a GPU that this process may use is not used, with the command that helps; absent: there is no problem. */
  readonly gpuUnused?: string;
}

export interface BackendOptions {
  /** "auto": tensorflow, else wasm, else cpu. With a name: that backend or an error. */
  readonly prefer?: "auto" | "tensorflow" | "wasm" | "cpu";
  /** "gpu": a GPU or an error. Default "auto": a GPU if there is one, else the CPU, and `gpuUnused` says why. */
  readonly device?: "auto" | "gpu";
  /** CPU threads per operation. Takes effect at the first load in a process. */
  readonly threads?: number;
  /** Number of graph operations that TensorFlow runs concurrently; default `threads`. Takes effect like `threads`. */
  readonly operationsAtOnce?: number;
  /** Makes equal calls give equal bits on a GPU too, where some sums otherwise have no fixed order; slower. Takes effect like `threads`. */
  readonly deterministic?: boolean;
}

const optionNames = ["prefer", "device", "threads", "operationsAtOnce", "deterministic"];

type Name = Backend["name"];

/**
 * Makes a tensor backend active in this process. Loading the same backend again returns the same one.
 * @throws {JitError} BACKEND_UNAVAILABLE if `prefer` or `device` names one that is not available
 */
export async function loadBackend(options: BackendOptions = {}): Promise<Backend> {
  const { prefer = "auto" } = checkOptions("loadBackend()", options, optionNames);
  checkChoice("prefer", prefer, ["auto", "tensorflow", "wasm", "cpu"]);
  if (options.threads !== undefined && !(Number.isInteger(options.threads) && options.threads > 0)) {
    throw new JitError(
      "INVALID_OPTIONS",
      `threads is ${inspect(options.threads, { maxStringLength: 80 })}; give a whole number > 0, or leave it out`,
    );
  }
  const candidates: readonly Name[] = prefer === "auto" ? ["tensorflow", "wasm", "cpu"] : [prefer];
  const passedOver: string[] = [];
  if (candidates[0] === "tensorflow") await fetchTensorflow();
  for (const name of candidates) {
    try {
      const loaded = { ...(await load(name, options)), passedOver };
      const visible = process.env["CUDA_VISIBLE_DEVICES"];
      const missing = options.device === "gpu" ? missingGpu(loaded, visible) : undefined;
      if (missing !== undefined)
        throw new JitError("BACKEND_UNAVAILABLE", `device is "gpu", but no GPU can be used: ${missing}`);
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

/** Whether libtensorflow was loaded with a fixed order of sums. */
let sumsInOrder = false;

/** NVIDIA_TF32_OVERRIDE at the time libtensorflow was loaded; later changes have no effect. */
let tensorFloat32Override: string | undefined;

async function loadTensorflow(options: BackendOptions): Promise<Loaded> {
  if (tf.findBackend("tensorflow") === null) {
    restoreUtilFunctions();
    // libtensorflow reads these only from the environment, and only once.
    Object.assign(process.env, tensorflowEnvironment(process.env, options));
    Object.assign(process.env, compileCacheEnvironment(compileCacheFolder()));
    // On a CPU the graph optimizer costs more than it saves; on a GPU functions are launches, which it does not change.
    if (gpuNames().length === 0) process.env["TENSORFLOW_GRAPH_REWRITES"] ??= "off";
    tensorFloat32Override = process.env["NVIDIA_TF32_OVERRIDE"];
    sumsInOrder = saysInOrder(process.env);
    await import("../base/tfjs-node.js");
    gatherWithoutReadback();
    segmentSumOfTrace();
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
  if (!(await tf.setBackend(name))) throw new Error(`tfjs could not start its ${name} backend`);
  await tf.ready();
}
