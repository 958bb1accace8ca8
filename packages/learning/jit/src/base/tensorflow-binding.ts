import { JitError } from "./error.js";
import type { DType, HostArray } from "./spec.js";
import { tf } from "./tf.js";

/** The addon's metadata of a tensor. `dtype` is TensorFlow's DataType number. */
export interface TensorMetadata {
  readonly id: number;
  readonly shape: number[];
  readonly dtype: number;
}

export interface OpAttribute {
  readonly name: string;
  readonly type: number;
  readonly value: unknown;
}

/** The native addon's interface, as far as this package uses it. */
export interface TensorflowBinding {
  createTensor(shape: number[], dtype: number, values: HostArray): number;
  deleteTensor(id: number): void;
  tensorDataSync(id: number): HostArray;
  /** Our addon's own: fills the target, which has the tensor's size in bytes, instead of new memory. */
  copyTensorData(id: number, target: Uint16Array | HostArray): void;
  executeOp(name: string, attributes: OpAttribute[], inputIds: number[], outputs: number): TensorMetadata[];
  loadSavedModel(directory: string, tags: string): number;
  deleteSavedModel(id: number): void;
  runSavedModel(id: number, inputIds: number[], inputs: string, outputs: string): TensorMetadata[];
  getNumOfSavedModels(): number;
  getNumOfTensors(): number;
  isUsingGpuDevice(): boolean;
  readonly TF_Version: string;
  readonly TF_ATTR_STRING: number;
  readonly TF_ATTR_INT: number;
  readonly TF_ATTR_FLOAT: number;
  readonly TF_ATTR_BOOL: number;
  readonly TF_ATTR_TYPE: number;
  readonly TF_ATTR_SHAPE: number;
}

/** tfjs-node's record of one tensor: `values` are still on the host while they are not null. */
interface TensorRecord {
  readonly shape: number[];
  readonly dtype: number;
  readonly values: HostArray | null;
  readonly id: number;
  readonly refCount: number;
}

/** tfjs-node's kernel backend, as far as this package uses it. */
export interface NodeBackend {
  binding: TensorflowBinding;
  readonly tensorMap: { get(dataId: object): TensorRecord; has(dataId: object): boolean };
  getInputTensorIds(tensors: readonly tf.TensorInfo[]): number[];
  createOutputTensor(metadata: TensorMetadata): tf.Tensor;
  readSync(dataId: object): HostArray;
  disposeData(dataId: object, force?: boolean): boolean;
}

/** TensorFlow's DataType numbers of the three element types. */
export const DATA_TYPE = { float32: 1, int32: 3, bool: 10 } as const satisfies Record<DType, number>;

/** TensorFlow's DataType number of bfloat16. tfjs does not have it: such a tensor in a trace says float32. */
export const BFLOAT16 = 14;

/** The dtype that tfjs is given for a data type. */
export function tfjsType(dataType: number): number {
  return dataType === BFLOAT16 ? DATA_TYPE.float32 : dataType;
}

export function dtypeOf(dataType: number): DType {
  if (dataType === DATA_TYPE.float32) return "float32";
  if (dataType === DATA_TYPE.int32) return "int32";
  if (dataType === DATA_TYPE.bool) return "bool";
  throw new JitError("DTYPE_MISMATCH", `TensorFlow data type ${dataType} is not float32, int32 or bool`);
}

export function isTensorflow(): boolean {
  return tf.getBackend() === "tensorflow";
}

/** The registered tfjs-node backend. Call it only if `isTensorflow()`. */
export function nodeBackend(): NodeBackend {
  return tf.findBackend("tensorflow") as unknown as NodeBackend;
}

/** Runs one TensorFlow operation on the tensorflow backend: eagerly, or into the trace in progress. */
export function runOp(
  name: string,
  attributes: OpAttribute[],
  inputs: readonly tf.Tensor[],
  outputs: number,
): tf.Tensor[] {
  const backend = nodeBackend();
  const metadata = backend.binding.executeOp(name, attributes, backend.getInputTensorIds(inputs), outputs);
  return metadata.map((output) => backend.createOutputTensor(output));
}

export function typeAttribute(name: string, dtype: DType): OpAttribute {
  return { name, type: nodeBackend().binding.TF_ATTR_TYPE, value: DATA_TYPE[dtype] };
}
