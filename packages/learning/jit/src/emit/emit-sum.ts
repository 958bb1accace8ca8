import { DATA_TYPE } from "../base/tensorflow-binding.js";
import { text, typeOf } from "./attributes.js";
import type { Emitter } from "./emit.js";
import { deviceOf } from "./emit-program.js";

/**
 * Sums one float32 tensor of each replica: by NCCL between GPUs, by plain additions if replicas share a CPU.
 * @param given a reference for each replica, in their order
 * @param name a name that no other sum of the program has
 * @param waits control inputs of each replica's part, because NCCL waits forever for one that does not begin
 * @returns the sum, by replica; on a CPU one tensor for all
 */
export function emitSum(
  main: Emitter,
  given: readonly string[],
  name: string,
  waits: readonly (readonly string[])[] = [],
): string[] {
  const T = { T: typeOf(DATA_TYPE.float32) };
  const { program } = main;
  if (!program.gpu) {
    const sum = main.node("AddN", [...given, ...waits.flat()], { ...T, N: { i: given.length } });
    return given.map(() => sum);
  }
  return given.map((reference, replica) =>
    main.node(
      "NcclAllReduce",
      [reference, ...(waits[replica] ?? [])],
      { ...T, reduction: text("sum"), num_devices: { i: given.length }, shared_name: text(name) },
      // The emitter may have another mode than the program, but replicas exist only in launches.
      { device: deviceOf({ xla: true, gpu: true }, replica) },
    ),
  );
}
