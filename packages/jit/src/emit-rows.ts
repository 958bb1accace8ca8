import { typeOf } from "./attributes.js";
import type { Emitter } from "./emit.js";
import { BFLOAT16, DATA_TYPE } from "./tensorflow-binding.js";
import type { Operation } from "./value.js";

const INT = typeOf(DATA_TYPE.int32);

/**
 * Emits a row write, see scatter-rows.ts: into the variable if that was found safe, otherwise into a copy. In a launch XLA
 * decides: if nobody else reads a variable's value, its copy is the variable's own memory.
 */
export function emitRows(emitter: Emitter, operation: Operation): void {
  const [target, indices, values, flat] = operation.inputs;
  const [output] = operation.outputs;
  if (!target || !indices || !values || !flat || !output) return;
  const T = typeOf(target.dtype);
  const write = emitter.program.inPlace.get(operation);
  const stored = emitter.stored(target);
  if (write === undefined && stored !== undefined) {
    const inputs = [stored, emitter.reference(indices), emitter.half(emitter.reference(values))];
    emitter.bindStored(
      output,
      emitter.node("TensorScatterUpdate", inputs, { T: typeOf(BFLOAT16), Tindices: INT }),
    );
    return;
  }
  if (write === undefined) {
    const inputs = [target, indices, values].map((value) => emitter.reference(value));
    emitter.bind(output, emitter.node("TensorScatterUpdate", inputs, { T, Tindices: INT }));
    return;
  }
  const [rows = 1, columns = 1, ...rest] = target.shape;
  const type = stored === undefined ? T : typeOf(BFLOAT16);
  const reshape = (reference: string, shape: readonly number[]) =>
    emitter.node("Reshape", [reference, emitter.int(shape)], { T: type, Tshape: INT });
  const list = reshape(stored ?? emitter.reference(target), [rows * columns, ...rest]);
  const given = emitter.reference(values);
  const inputs = [list, emitter.reference(flat), stored === undefined ? given : emitter.half(given)];
  emitter.writesAfter(write.after, inputs);
  const written = reshape(emitter.node("InplaceUpdate", inputs, { T: type }), target.shape);
  if (stored === undefined) emitter.bind(output, written);
  else emitter.bindStored(output, written);
}
