import { type ModelConfig, parameterShapes } from "@palimpsest/model";

/** The difference between one tensor's gradient and the reference's. */
export interface GradientComparison {
  /** The cosine of the angle between the two gradients. */
  readonly cosine: number;
  /** The largest difference of an element, relative to the reference's largest element. */
  readonly relative: number;
  /** The name of the parameter, with the layer if the parameter is stacked. */
  readonly where: string;
}

/** Compares the gradient of each parameter, and that of a stacked one for each layer, as checkpoints store layers. */
export function compareGradients(
  model: ModelConfig,
  actual: Readonly<Record<string, ArrayLike<number>>>,
  expected: Readonly<Record<string, Float32Array>>,
): GradientComparison[] {
  return Object.keys(parameterShapes(model)).flatMap((name) => {
    const theirs = expected[name] ?? new Float32Array();
    const ours = actual[name] ?? [];
    const parts = name.startsWith("layers.") ? model.layers : 1;
    const size = theirs.length / parts;
    return Array.from({ length: parts }, (_, part) => ({
      where: parts === 1 ? name : `${name}[${part}]`,
      ...compare(ours, theirs, part * size, size),
    }));
  });
}

function compare(
  ours: ArrayLike<number>,
  theirs: Float32Array,
  start: number,
  size: number,
): Omit<GradientComparison, "where"> {
  let [dot, ownSquares, squares, difference, largest] = [0, 0, 0, 0, 0];
  for (let i = start; i < start + size; i++) {
    const own = ours[i] ?? Number.NaN;
    const their = theirs[i] as number;
    dot += own * their;
    ownSquares += own * own;
    squares += their * their;
    difference = Math.max(difference, Math.abs(own - their));
    largest = Math.max(largest, Math.abs(their));
  }
  // The cosine of two zero gradients is undefined; they are equal.
  const both = ownSquares === 0 && squares === 0;
  return {
    cosine: both ? 1 : dot / Math.sqrt(ownSquares * squares),
    relative: both ? 0 : difference / largest,
  };
}

export function gradientNorm(gradients: Readonly<Record<string, ArrayLike<number>>>): number {
  let squares = 0;
  for (const values of Object.values(gradients)) {
    for (let i = 0; i < values.length; i++) squares += (values[i] as number) ** 2;
  }
  return Math.sqrt(squares);
}
