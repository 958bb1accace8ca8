import { entry, tf } from "@palimpsest/jit";

/** Tensors that layers with the same kind of attention share, created once per pass. */
export type Constants = Readonly<Record<string, tf.Tensor>>;

/**
 * Returns the constants of one layer of a loop, given the index of its kind as int32 []; with one kind, without an index.
 * @param constants of each kind of attention, with the same names and shapes
 */
export function constantsByLayer<Of extends Constants>(
  constants: readonly Of[],
): (index: tf.Tensor | undefined) => Of {
  const only = entry(constants, 0);
  if (constants.length === 1) return () => only;
  const stacks = Object.keys(only).map(
    (name) => [name, tf.stack(constants.map((of) => entry(of, name)))] as const,
  );
  return (index) =>
    Object.fromEntries(stacks.map(([name, stack]) => [name, tf.gather(stack, index as tf.Tensor)])) as Of;
}

/** What a loop over layers reads besides their weights: with several kinds of attention, the index of each layer's. */
export function kindSlices(ofLayers: readonly number[], kinds: number): tf.Tensor[] {
  return kinds === 1 ? [] : [tf.tensor1d([...ofLayers], "int32")];
}
