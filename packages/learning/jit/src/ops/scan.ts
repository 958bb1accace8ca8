import { checkOptions, JitError } from "../base/error.js";
import { tf } from "../base/tf.js";
import { currentTrace } from "../trace/trace.js";
import type { TensorsOf } from "./custom-grad.js";
import { gradientsInScope } from "./scan-gradient.js";
import { checkCarry, type Scanned, type ScanOptions } from "./scan-options.js";
import { plainScan } from "./trace-scan.js";

/** The options of a scan whose numbers of tensors are part of its type, so that its body and its results must match. */
interface TypedScan<
  Carry extends readonly tf.Tensor[],
  Xs extends readonly tf.Tensor[],
  Ys extends readonly tf.Tensor[],
> extends Pick<ScanOptions, "reverse" | "keep"> {
  readonly carry: Carry;
  readonly xs: Xs;
  readonly body: (
    carry: TensorsOf<Carry>,
    slices: TensorsOf<Xs>,
  ) => { readonly carry: Readonly<TensorsOf<Carry>>; readonly ys?: Ys };
}

/**
 * A loop over stacked tensors: one While in a graph, a plain loop elsewhere. Differentiable in the first carry, in xs and
 * in tensors from outside: when traced, its gradient is a second loop, and `keep` says what the first keeps for it; elsewhere
 * tfjs keeps every step's values.
 * @returns the last carry, and every step's ys stacked [L, ...]
 * @throws {JitError} SHAPE_MISMATCH, DTYPE_MISMATCH if the carry changes its shape or type, or xs differ in length
 */
export function scan<
  const Carry extends readonly tf.Tensor[],
  const Xs extends readonly tf.Tensor[],
  const Ys extends readonly tf.Tensor[] = readonly [],
>(options: TypedScan<Carry, Xs, Ys>): { carry: TensorsOf<Carry>; ys: TensorsOf<Ys> };
export function scan(options: ScanOptions): Scanned {
  const { xs } = checkOptions("scan()", options);
  if (!Array.isArray(xs))
    throw new JitError("INVALID_OPTIONS", "scan(): xs is no list; give a list of tensors");
  for (const x of xs) checkOptions("scan(): one of xs", x);
  const length = options.xs[0]?.shape[0];
  if (length === undefined || options.xs.some((x) => x.shape[0] !== length)) {
    const shapes = options.xs.map((x) => `[${x.shape.join(", ")}]`).join(", ");
    throw new JitError(
      "SHAPE_MISMATCH",
      `scan: xs are ${shapes || "none"}; give at least one, all with the same first dimension`,
    );
  }
  const trace = currentTrace();
  if (trace === undefined) return runScan(options, length);
  // While tfjs keeps its tape, a gradient may be taken of whatever is traced.
  return tf.engine().isTapeOn()
    ? gradientsInScope(trace, options, length)
    : plainScan(trace, options, length);
}

function runScan({ carry, xs, body, reverse }: ScanOptions, length: number): Scanned {
  return tf.tidy(() => {
    let present = [...carry];
    const rows: tf.Tensor[][] = [];
    for (let step = 0; step < length; step += 1) {
      const index = reverse === true ? length - 1 - step : step;
      const slices = xs.map((x) => tf.reshape(tf.slice(x, [index], [1]), x.shape.slice(1)));
      const result = body(present, slices);
      checkCarry(present, result.carry);
      present = [...result.carry];
      rows[index] = [...(result.ys ?? [])];
    }
    const width = rows[0]?.length ?? 0;
    const ys = Array.from({ length: width }, (_, column) => tf.stack(rows.map((row) => rowAt(row, column))));
    return { carry: present, ys };
  });
}

function rowAt(row: readonly tf.Tensor[], column: number): tf.Tensor {
  const value = row[column];
  if (value === undefined)
    throw new JitError(
      "SHAPE_MISMATCH",
      `scan: a step returned no ys[${column}], but the first step did; return the same ys in each step`,
    );
  return value;
}
