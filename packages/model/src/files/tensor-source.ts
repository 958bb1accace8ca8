/** A tensor that a source has, without its values. */
export interface TensorInfo {
  readonly shape: readonly number[];
  /** As the source names it, such as F32, BF16 or Q4_1. */
  readonly dtype: string;
  /** As stored. */
  readonly sizeBytes: number;
}

/**
 * Takes the next values of a tensor, in row-major order.
 * @param values valid during the call only: the source fills the same memory again
 * @param offset index of the first one within the tensor
 */
export type VisitValues = (values: Float32Array, offset: number) => void;

/** Tensors by their Hugging Face names, whose values come as float32, piece by piece. */
export interface TensorSource {
  readonly tensors: ReadonlyMap<string, TensorInfo>;
  /** @throws {ModelError} DTYPE_UNSUPPORTED, FILE_DAMAGED; the signal's reason */
  read(name: string, visit: VisitValues, signal?: AbortSignal): Promise<void>;
}
