import { createRequire } from "node:module";
import { type NodeBackend, type OpAttribute, typeAttribute } from "../base/tensorflow-binding.js";
import { tf } from "../base/tf.js";
import { currentTrace, isTraceId } from "../trace/trace.js";

/*
 * Patches that let tfjs-node 4.22 run for days and on newer Node versions. Each patch can be applied more than once.
 */

/**
 * Returns the variables that libtensorflow reads when the addon is loaded; later changes have no effect.
 * @param present the current environment, whose values take precedence
 */
export function tensorflowEnvironment(
  present: Readonly<Record<string, string | undefined>>,
  { threads, operationsAtOnce = threads, deterministic = false }: EnvironmentOptions = {},
): Record<string, string> {
  const wanted: Record<string, string> = {
    TF_CPP_MIN_LOG_LEVEL: "3",
    // The learner and the sampler may share a GPU, so memory is allocated on demand.
    TF_FORCE_GPU_ALLOW_GROWTH: "true",
    ...(deterministic ? { TF_DETERMINISTIC_OPS: "1" } : {}),
    ...(threads === undefined
      ? {}
      : { TF_NUM_INTRAOP_THREADS: String(threads), OMP_NUM_THREADS: String(threads) }),
    ...(operationsAtOnce === undefined ? {} : { TF_NUM_INTEROP_THREADS: String(operationsAtOnce) }),
  };
  const missing = Object.entries(wanted).filter(([key]) => present[key] === undefined);
  return { ...Object.fromEntries(missing), XLA_FLAGS: xlaFlags(present["XLA_FLAGS"], deterministic) };
}

interface EnvironmentOptions {
  readonly threads?: number | undefined;
  /** Number of graph operations that run concurrently; default `threads`. */
  readonly operationsAtOnce?: number | undefined;
  /** Fixed order of sums, on a GPU too. */
  readonly deterministic?: boolean;
}

/** On a GPU most of the first call is autotuning of Triton's matrix kernels: 45 s instead of 8 s for 0.5B parameters. */
const TRITON_FLAG = "--xla_gpu_enable_triton_gemm";
const DETERMINISTIC_FLAG = "--xla_gpu_deterministic_ops";

/** Returns the environment's flags, which may only say where CUDA is, plus those of ours that it does not set. */
function xlaFlags(present: string | undefined, deterministic: boolean): string {
  const flags = present === undefined ? [] : [present];
  if (present?.includes(TRITON_FLAG) !== true) flags.push(`${TRITON_FLAG}=false`);
  if (deterministic && present?.includes(DETERMINISTIC_FLAG) !== true)
    flags.push(`${DETERMINISTIC_FLAG}=true`);
  return flags.join(" ");
}

/** Returns whether TensorFlow and XLA were configured with a fixed order of sums. */
export function saysInOrder(environment: Readonly<Record<string, string | undefined>>): boolean {
  const flags = (environment["XLA_FLAGS"] ?? "").split(/\s+/);
  const said = flags.findLast((flag) => flag.startsWith(DETERMINISTIC_FLAG));
  return (
    /^(1|true)$/i.test(environment["TF_DETERMINISTIC_OPS"] ?? "") &&
    said !== undefined &&
    /^(=(true|1))?$/.test(said.slice(DETERMINISTIC_FLAG.length))
  );
}

/**
 * Replaces functions of node:util that tfjs-node calls: Node 22 warns of them on the standard error of the user's
 * program, and Node 23 removed one.
 */
export function restoreUtilFunctions(util: Record<string, unknown> = requireUtil()): void {
  util["isNullOrUndefined"] = (value: unknown) => value === null || value === undefined;
  util["isArray"] = Array.isArray;
}

function requireUtil(): Record<string, unknown> {
  return createRequire(import.meta.url)("node:util") as Record<string, unknown>;
}

const patched = new WeakSet<object>();

/**
 * The addon numbers tensors with an int32, and tfjs-node frees only ids ≥ 0: after 2^31 operations every tensor would
 * leak. This patch frees negative ids, too; a record whose values are still on the host has no id yet.
 */
export function freeWrappedHandles(backend: NodeBackend): void {
  if (patched.has(backend)) return;
  patched.add(backend);
  const dispose = backend.disposeData.bind(backend);
  backend.disposeData = (dataId, force = false) => {
    const record = backend.tensorMap.has(dataId) ? backend.tensorMap.get(dataId) : undefined;
    const lastUse = record !== undefined && (force || record.refCount <= 1);
    if (lastUse && record.values === null && record.id < 0) backend.binding.deleteTensor(record.id);
    return dispose(dataId, force);
  };
}

/**
 * The addon's properties are read-only, so tracing replaces it by a copy. The copy also accepts the disposal of ids that
 * belong to a trace, for tensors that outlive it.
 */
export function openBinding(backend: NodeBackend): void {
  const addon = backend.binding;
  if (patched.has(addon)) return;
  const members = Object.getOwnPropertyNames(addon).map((name) => {
    const member: unknown = Reflect.get(addon, name);
    return [name, typeof member === "function" ? member.bind(addon) : member];
  });
  const copy = Object.fromEntries(members) as NodeBackend["binding"];
  // An addon that was built by an earlier setup does not have it.
  copy.copyTensorData ??= (id, target) => bytesOf(target).set(bytesOf(copy.tensorDataSync(id)));
  const deleteTensor = copy.deleteTensor;
  copy.deleteTensor = (id) => {
    if (!isTraceId(id)) deleteTensor(id);
  };
  patched.add(copy);
  backend.binding = copy;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

interface GatherArguments {
  readonly inputs: { readonly x: tf.Tensor; readonly indices: tf.Tensor };
  readonly attrs: { readonly axis: number; readonly batchDims: number };
  readonly backend: NodeBackend;
}

/**
 * tfjs-node's gather reads the indices back to check them, which is a device round trip and a host read while tracing.
 * TensorFlow's own kernel checks them on the CPU.
 */
export function gatherWithoutReadback(): void {
  tf.unregisterKernel("GatherV2", "tensorflow");
  tf.registerKernel({
    kernelName: "GatherV2",
    backendName: "tensorflow",
    kernelFunc: (given) => {
      const { inputs, attrs, backend } = given as unknown as GatherArguments;
      const { x, indices } = inputs;
      const attributes: OpAttribute[] = [
        { name: "batch_dims", type: backend.binding.TF_ATTR_INT, value: attrs.batchDims },
        typeAttribute("Tparams", x.dtype as "float32"),
        typeAttribute("Tindices", indices.dtype as "int32"),
        typeAttribute("Taxis", "int32"),
      ];
      return tf.tidy(() => {
        const axis = tf.scalar(attrs.axis, "int32");
        const ids = backend.getInputTensorIds([x, indices, axis]);
        const [output] = backend.binding.executeOp("GatherV2", attributes, ids, 1);
        if (output === undefined) throw new Error("internal: GatherV2 returned no output");
        return backend.createOutputTensor(output);
      });
    },
  });
}

interface SegmentSumArguments {
  readonly inputs: { readonly x: tf.Tensor; readonly segmentIds: tf.Tensor };
  readonly attrs: { readonly numSegments: number };
}

/** Sums segments as a trace says. Such sums are the gradients of gathers. */
export function segmentSumOfTrace(): void {
  const stock = tf.getKernel("UnsortedSegmentSum", "tensorflow");
  if (stock === undefined) return;
  tf.unregisterKernel("UnsortedSegmentSum", "tensorflow");
  tf.registerKernel({
    ...stock,
    kernelFunc: (given) => {
      const segmentSum = currentTrace()?.target.segmentSum;
      if (segmentSum === undefined) return stock.kernelFunc(given);
      const { inputs, attrs } = given as unknown as SegmentSumArguments;
      return tf.tidy(() => segmentSum(inputs.x, inputs.segmentIds, attrs.numSegments));
    },
  });
}
