import { customGrad, entry, innerGrads, scan, type tf } from "@palimpsest/jit";

/*
 * Layers as a loop over the stacked weights: graph size and compile time do not grow with depth, and each layer keeps
 * only its input and recomputes the rest in the backward pass. Use it for deep models; two layers run faster unrolled.
 */

type Named = Readonly<Record<string, tf.Tensor>>;

/**
 * Applies every layer to x in turn. Differentiable in x and in the stacks that are not frozen.
 * @param x      float32 [N, D]
 * @param stacks tensors [L, ...], keyed by their names in a layer
 * @param shared tensors that every layer also uses; no gradient
 * @param apply  one layer: takes [N, D], the layer's tensors [...] and the shared ones, returns [N, D]
 * @param isFrozen takes the name in a layer
 * @returns float32 [N, D]
 */
export function scanLayers(
  x: tf.Tensor,
  stacks: Named,
  shared: Named,
  apply: (x: tf.Tensor, layer: Named, shared: Named) => tf.Tensor,
  isFrozen: (name: string) => boolean = () => false,
): tf.Tensor {
  const frozen = Object.keys(stacks).filter((name) => isFrozen(`layers.${name}`));
  const trained = Object.keys(stacks).filter((name) => !frozen.includes(name));
  const order = [...trained, ...frozen];
  const named = (slices: readonly tf.Tensor[]): Named =>
    Object.fromEntries(order.map((name, index) => [name, entry(slices, index)]));
  const values = (names: readonly string[]): tf.Tensor[] => names.map((name) => entry(stacks, name));
  const forward = (input: tf.Tensor, ...weights: readonly tf.Tensor[]) => {
    const all = [...weights, ...values(frozen)];
    const { carry, ys } = scan({
      carry: [input],
      xs: all,
      body: ([before], slices) => ({ carry: [apply(before, named(slices), shared)], ys: [before] }),
    });
    // The shared ones too: the scope that created them may have ended when the gradient is taken.
    return { value: carry[0], saved: [...Object.values(shared), ys[0], ...all] };
  };
  const backward = (gradient: tf.Tensor, saved: readonly tf.Tensor[]) => {
    const keys = Object.keys(shared);
    const kept = Object.fromEntries(keys.map((key, index) => [key, entry(saved, index)]));
    const { carry: below, ys: layerGradients } = scan({
      reverse: true,
      carry: [gradient],
      xs: saved.slice(keys.length), // inputs of the layers [L, N, D], then the stacks
      body: ([above], [before, ...slices]) => {
        const rest = slices.slice(trained.length);
        const layer = (...own: tf.Tensor[]): tf.Tensor =>
          apply(entry(own, 0), named([...own.slice(1), ...rest]), kept);
        const inputs = [before as tf.Tensor, ...slices.slice(0, trained.length)];
        const [down, ...ofWeights] = innerGrads(layer)(inputs, above);
        return { carry: [down as tf.Tensor], ys: ofWeights };
      },
    });
    return [below[0], ...layerGradients];
  };
  return customGrad([x, ...values(trained)], forward, backward);
}
