import { LearnerError } from "../config/error.js";
import type { LossAlgebra } from "./loss-algebra.js";

/** A float64 matrix on a tape; the operation that made it can propagate its gradient. */
export class Double {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array;
  /** d result / d this; filled by `doubleGradient`. */
  readonly gradient: Float64Array;
  readonly parents: readonly Double[];
  readonly backward: () => void;

  /** Use `doubleMatrix` and `doubleAlgebra`. */
  constructor(
    rows: number,
    columns: number,
    values: Float64Array,
    parents: readonly Double[] = [],
    backward: (self: Double) => void = () => undefined,
  ) {
    this.rows = rows;
    this.columns = columns;
    this.values = values;
    this.gradient = new Float64Array(values.length);
    this.parents = parents;
    this.backward = () => backward(this);
  }
}

/** Creates a leaf from rows of equal length. @throws {LearnerError} SHAPE_MISMATCH */
export function doubleMatrix(rows: readonly (readonly number[])[]): Double {
  const columns = rows[0]?.length ?? 0;
  if (rows.some((row) => row.length !== columns))
    throw new LearnerError("SHAPE_MISMATCH", "the rows of a matrix differ in length; pad them");
  return new Double(rows.length, columns, Float64Array.from(rows.flat()));
}

/** Computes the gradients of everything that `result` [1, 1] was made from. Call it once per tape. */
export function doubleGradient(result: Double): void {
  const order: Double[] = [];
  const seen = new Set<Double>();
  const visit = (node: Double) => {
    if (seen.has(node)) return;
    seen.add(node);
    for (const parent of node.parents) visit(parent);
    order.push(node);
  };
  visit(result);
  result.gradient.fill(1);
  for (const node of order.reverse()) node.backward();
}

type Pair = (a: number, b: number) => number;

/** Applies f elementwise, with its two derivatives; operands broadcast. */
function binary(f: Pair, da: Pair, db: Pair): LossAlgebra<Double>["add"] {
  return (left, right) => {
    const a = asDouble(left);
    const b = asDouble(right);
    const rows = Math.max(a.rows, b.rows);
    const columns = Math.max(a.columns, b.columns);
    const values = new Float64Array(rows * columns);
    const each = (visit: (at: number, i: number, j: number) => void) => {
      for (let at = 0; at < values.length; at++) visit(at, placeIn(a, at, columns), placeIn(b, at, columns));
    };
    each((at, i, j) => {
      values[at] = f(a.values[i] as number, b.values[j] as number);
    });
    return new Double(rows, columns, values, [a, b], (self) => {
      each((at, i, j) => {
        const dy = self.gradient[at] as number;
        const x = a.values[i] as number;
        const y = b.values[j] as number;
        // A gradient of 0 propagates nothing, whatever the derivative, because 0 · NaN would be NaN.
        if (dy === 0) return;
        a.gradient[i] = (a.gradient[i] as number) + dy * da(x, y);
        b.gradient[j] = (b.gradient[j] as number) + dy * db(x, y);
      });
    });
  };
}

function unary(f: (x: number) => number, df: (x: number, y: number) => number): (a: Double) => Double {
  return (a) =>
    new Double(a.rows, a.columns, a.values.map(f), [a], (self) => {
      a.values.forEach((x, i) => {
        const dy = self.gradient[i] as number;
        if (dy !== 0) a.gradient[i] = (a.gradient[i] as number) + dy * df(x, self.values[i] as number);
      });
    });
}

function asDouble(value: Double | number): Double {
  return typeof value === "number" ? new Double(1, 1, Float64Array.of(value)) : value;
}

/** Returns the index in `of` of the element at index `at` of the broadcast result. */
function placeIn(of: Double, at: number, columns: number): number {
  const row = of.rows === 1 ? 0 : Math.floor(at / columns);
  const column = of.columns === 1 ? 0 : at % columns;
  return row * of.columns + column;
}

/**
 * The algebra in float64 on the host, in which the loss formulas are checked. For ties of min and max the gradient goes
 * to a.
 */
export const doubleAlgebra: LossAlgebra<Double> = {
  add: binary(
    (a, b) => a + b,
    () => 1,
    () => 1,
  ),
  sub: binary(
    (a, b) => a - b,
    () => 1,
    () => -1,
  ),
  mul: binary(
    (a, b) => a * b,
    (_a, b) => b,
    (a) => a,
  ),
  div: binary(
    (a, b) => a / b,
    (_a, b) => 1 / b,
    (a, b) => -a / (b * b),
  ),
  minimum: binary(
    Math.min,
    (a, b) => (a <= b ? 1 : 0),
    (a, b) => (a <= b ? 0 : 1),
  ),
  maximum: binary(
    Math.max,
    (a, b) => (a >= b ? 1 : 0),
    (a, b) => (a >= b ? 0 : 1),
  ),
  exp: unary(Math.exp, (_x, y) => y),
  abs: unary(Math.abs, (x) => Math.sign(x)),
  square: unary(
    (x) => x * x,
    (x) => 2 * x,
  ),
  greater: binary(
    (a, b) => (a > b ? 1 : 0),
    () => 0,
    () => 0,
  ),
  select: (condition, a, b) =>
    new Double(
      a.rows,
      a.columns,
      a.values.map((value, i) => ((condition.values[i] ?? 0) > 0 ? value : (b.values[i] ?? Number.NaN))),
      [a, b],
      (self) => {
        self.gradient.forEach((dy, i) => {
          const taken = (condition.values[i] ?? 0) > 0 ? a : b;
          taken.gradient[i] = (taken.gradient[i] as number) + dy;
        });
      },
    ),
  zerosLike: (a) => new Double(a.rows, a.columns, new Float64Array(a.values.length)),
  sumTokens(a) {
    const sums = Float64Array.from({ length: a.rows }, (_, r) =>
      a.values.subarray(r * a.columns, (r + 1) * a.columns).reduce((sum, value) => sum + value, 0),
    );
    return new Double(a.rows, 1, sums, [a], (self) => {
      for (let i = 0; i < a.gradient.length; i++)
        a.gradient[i] = (a.gradient[i] as number) + (self.gradient[Math.floor(i / a.columns)] as number);
    });
  },
  sum: (a) =>
    new Double(1, 1, Float64Array.of(a.values.reduce((sum, value) => sum + value, 0)), [a], (self) => {
      for (let i = 0; i < a.gradient.length; i++)
        a.gradient[i] = (a.gradient[i] as number) + (self.gradient[0] as number);
    }),
  detached: (f, x) => {
    const value = f(new Double(x.rows, x.columns, x.values));
    return new Double(value.rows, value.columns, value.values);
  },
};
