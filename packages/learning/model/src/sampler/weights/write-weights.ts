import type { JitModule } from "@palimpsest/jit";
import type { PackedWeights } from "./packed-weights.js";

const writtenAtOnceBytes = 2 ** 26;

/**
 * Writes weights in parts, one in each step: all at once would double a large model on the host and hold the event loop, and every
 * new set of names costs a graph.
 */
export function* writeInParts(
  module: JitModule,
  weights: Iterable<PackedWeights | undefined>,
): Generator<undefined> {
  let part: Record<string, Float32Array> = {};
  let sizeBytes = 0;
  const write = () => {
    module.writeState(part);
    part = {};
    sizeBytes = 0;
  };
  for (const packed of weights) {
    if (packed === undefined) {
      yield;
    } else if ("parts" in packed) {
      yield* module.writeHalf(packed.name, packed.parts);
      yield;
    } else {
      const { name, values } = packed;
      if (sizeBytes > 0 && sizeBytes + values.byteLength > writtenAtOnceBytes) {
        write();
        yield;
      }
      part[name] = values;
      sizeBytes += values.byteLength;
    }
  }
  write();
}
