import { MemoryError } from "./error.js";

/** The fixed-point value of 1. The product of two unit vectors is at most its square, which fits into 32 bits. */
export const unit = 32_767;

/**
 * Scales a vector to length 1 as 16-bit fixed point, padded with zeros to a multiple of 8. It takes two bytes per
 * number instead of four, and cosines are exact integers. Rounding changes a cosine by about 1e-5, and by at most 1e-3
 * for up to 1024 dimensions. The zero vector stays zero, and is similar to nothing.
 * @throws {MemoryError} EMBEDDER_FAILED when a number is not finite
 */
export function unitVector(vector: ArrayLike<number>): Int16Array {
  let square = 0;
  for (let i = 0; i < vector.length; i++) square += (vector[i] ?? 0) ** 2;
  if (!Number.isFinite(square)) {
    throw new MemoryError(
      "EMBEDDER_FAILED",
      "embedder: returned a vector with numbers that are not finite; fix the embedder",
    );
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

/** Returns the cosine of two unit vectors, in [-1, 1] up to rounding. */
export function cosine(a: Int16Array, b: Int16Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum / (unit * unit);
}
