import { MemoryError } from "./error.js";

/** What stands for 1: the product of two unit vectors is at most its square, which fits into 32 bits. */
export const unit = 32_767;

/**
 * A vector scaled to length 1 as 16-bit fixed point, padded with zeros to a multiple of 8: two bytes a number instead
 * of four, and cosines as exact integers. Rounding moves a cosine by about 1e-5, by 1e-3 at the very most up to 1024
 * dimensions. The zero vector stays zero: it resembles nothing.
 * @throws {MemoryError} EMBEDDER_FAILED where a number is not finite
 */
export function unitVector(vector: ArrayLike<number>): Int16Array {
  let square = 0;
  for (let i = 0; i < vector.length; i++) square += (vector[i] ?? 0) ** 2;
  if (!Number.isFinite(square)) {
    throw new MemoryError("EMBEDDER_FAILED", "embedder: gave a vector with numbers that are not finite");
  }
  const scaled = new Int16Array(paddedDimensions(vector.length));
  if (square === 0) return scaled;
  const factor = unit / Math.sqrt(square);
  for (let i = 0; i < vector.length; i++) scaled[i] = Math.round((vector[i] ?? 0) * factor);
  return scaled;
}

export function paddedDimensions(dimensions: number): number {
  return Math.ceil(dimensions / 8) * 8;
}

/** Cosine of two unit vectors, in [-1, 1] up to rounding. */
export function cosine(a: Int16Array, b: Int16Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum / (unit * unit);
}
