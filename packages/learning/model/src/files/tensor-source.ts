/** Metadata of a tensor in a source, without its values. */
export interface TensorInfo {
  readonly shape: readonly number[];
  /** The source's name for the type of the stored values, such as F32, BF16 or Q4_1. */
  readonly dtype: string;
  /** Size of the stored values in bytes. */
  readonly sizeBytes: number;
}

/**
 * Receives the next values of a tensor, in row-major order.
 * @param values valid only during the call: the source reuses the memory
 * @param offset index of the first value within the tensor
 */
export type VisitValues = (values: Float32Array, offset: number) => void;

/** Tensors by their Hugging Face names, whose values are read as float32, piece by piece. */
export interface TensorSource {
  readonly tensors: ReadonlyMap<string, TensorInfo>;
  /** @throws {ModelError} DTYPE_UNSUPPORTED, FILE_DAMAGED; the signal's reason */
  read(name: string, visit: VisitValues, signal?: AbortSignal): Promise<void>;
}
