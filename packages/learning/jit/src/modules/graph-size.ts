import { JitError } from "../base/error.js";
import type { FunctionProto, NodeProto } from "../base/graph-protos.js";

/** A protobuf message is limited to 2 GiB, and a graph is loaded as one. */
const MOST_GRAPH_BYTES = 2 ** 31 - 1;

/**
 * Refuses a graph whose constants alone exceed the size of a protobuf message. It is checked before encoding, which would
 * take that much memory again.
 * @throws {JitError} INVALID_OPTIONS
 */
export function checkGraphSize(
  nodes: readonly NodeProto[],
  functions: readonly FunctionProto[],
  mostBytes = MOST_GRAPH_BYTES,
): void {
  let bytes = 0;
  let largest: { readonly bytes: number; readonly shape: readonly number[] } = { bytes: 0, shape: [] };
  for (const { attr } of [...nodes, ...functions.flatMap(({ nodeDef }) => nodeDef)]) {
    for (const { tensor } of Object.values(attr)) {
      if (tensor === undefined) continue;
      const own = tensor.tensorContent.byteLength;
      bytes += own;
      if (own > largest.bytes)
        largest = { bytes: own, shape: tensor.tensorShape.dim.map(({ size }) => size) };
    }
  }
  if (bytes <= mostBytes) return;
  throw new JitError(
    "INVALID_OPTIONS",
    `functions: their constants take ${bytes} bytes, but a graph has at most ${mostBytes}; the largest is [${largest.shape.join(", ")}] of ${largest.bytes} bytes. Pass it as an input or a state entry, or declare fewer functions (a model's rotary tables are constants of every function, so use shorter or fewer buckets)`,
  );
}
