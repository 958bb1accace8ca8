import type { JitModule } from "@palimpsest/jit";

const writtenAtOnceBytes = 2 ** 28;

/** Writes weights in a few parts: all at once would double a large model on the host, and every new set of names costs a graph. */
export function writeInParts(
  module: JitModule,
  weights: Iterable<readonly [name: string, values: Float32Array]>,
): void {
  let part: Record<string, Float32Array> = {};
  let sizeBytes = 0;
  const write = () => {
    module.writeState(part);
    part = {};
    sizeBytes = 0;
  };
  for (const [name, values] of weights) {
    if (sizeBytes > 0 && sizeBytes + values.byteLength > writtenAtOnceBytes) write();
    part[name] = values;
    sizeBytes += values.byteLength;
  }
  write();
}
