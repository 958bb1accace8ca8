import { entry, scan, type Tensors, tf } from "@palimpsest/jit";
import type { ModelConfig } from "../../base/config.js";
import { type Constants, constantsByLayer, kindSlices } from "../../forward/layer-constants.js";
import {
  type LayerWeights,
  layerOfStacks,
  layerOfState,
  runsAsLoop,
  weightStacks,
} from "../weights/packed-weights.js";

/** Keys and values, [n·KV, T, hd] of one layer. */
export interface Memory {
  readonly keys: tf.Tensor;
  readonly values: tf.Tensor;
}

/** Of all layers: one per layer if they are unrolled; a single stack [L, n·KV, T, hd] if they are a loop. */
export type Memories = readonly Memory[];

/** What layers need besides weights and memory: tensors of each kind of attention, and for each layer the index of its kind. */
export interface LayerKinds<Of extends Constants> {
  readonly constants: readonly Of[];
  readonly ofLayers: readonly number[];
}

export type LayerBody<Of extends Constants> = (
  weights: LayerWeights,
  x: tf.Tensor,
  seen: readonly Memory[],
  constants: Of,
  isLast: boolean,
) => { readonly x: tf.Tensor; readonly memory: Memory };

/**
 * Passes the residual stream through all layers: unrolled for shallow models, a loop for deep ones. In a loop all layers
 * are treated alike, including the last.
 * @param x        float32 [N, D]
 * @param memories each layer gets its own part of each
 * @param kinds    each layer gets the constants of its kind
 * @returns the last layer's stream, and the memories that the layers returned
 */
export function walkLayers<Of extends Constants>(
  state: Tensors,
  x: tf.Tensor,
  memories: readonly Memories[],
  kinds: LayerKinds<Of>,
  config: ModelConfig,
  body: LayerBody<Of>,
): { readonly x: tf.Tensor; readonly memory: Memories } {
  return runsAsLoop(config)
    ? loop(state, x, memories, kinds, config, body)
    : unroll(state, x, memories, kinds, config, body);
}

function loop<Of extends Constants>(
  state: Tensors,
  start: tf.Tensor,
  memories: readonly Memories[],
  { constants, ofLayers }: LayerKinds<Of>,
  config: ModelConfig,
  body: LayerBody<Of>,
): { readonly x: tf.Tensor; readonly memory: Memories } {
  const stacks = weightStacks(state, config);
  const own = kindSlices(ofLayers, constants.length);
  const choose = constantsByLayer(constants);
  const { carry, ys } = scan({
    carry: [start],
    xs: [
      ...stacks,
      ...own,
      ...memories.flatMap(([stack]) => [(stack as Memory).keys, (stack as Memory).values]),
    ],
    body: ([x], slices) => {
      const rest = slices.slice(stacks.length + own.length);
      const seen = memories.map((_, i) => ({
        keys: entry(rest, 2 * i),
        values: entry(rest, 2 * i + 1),
      }));
      const chosen = choose(own.length === 0 ? undefined : slices[stacks.length]);
      const step = body(layerOfStacks(slices, config), x as tf.Tensor, seen, chosen, false);
      return { carry: [step.x], ys: [step.memory.keys, step.memory.values] };
    },
  });
  const [keys, values] = ys as [tf.Tensor, tf.Tensor];
  return { x: entry(carry, 0), memory: [{ keys, values }] };
}

function unroll<Of extends Constants>(
  state: Tensors,
  start: tf.Tensor,
  memories: readonly Memories[],
  { constants, ofLayers }: LayerKinds<Of>,
  config: ModelConfig,
  body: LayerBody<Of>,
): { readonly x: tf.Tensor; readonly memory: Memories } {
  let x = start;
  const memory: Memory[] = [];
  for (let layer = 0; layer < config.layers; layer++) {
    const seen = memories.map((layers) => entry(layers, layer));
    const chosen = entry(constants, entry(ofLayers, layer));
    const step = body(layerOfState(state, layer, config), x, seen, chosen, layer === config.layers - 1);
    x = step.x;
    memory.push(step.memory);
  }
  return { x, memory };
}

/** @param stack [L, n·KV, T, hd]; slices along the first axis share its memory on libtensorflow */
export function memoriesOf(stack: Memory, config: ModelConfig): Memories {
  if (runsAsLoop(config)) return [stack];
  const layerOf = (stacked: tf.Tensor, layer: number) =>
    stacked.slice([layer], [1]).reshape(stacked.shape.slice(1));
  return Array.from({ length: config.layers }, (_, layer) => ({
    keys: layerOf(stack.keys, layer),
    values: layerOf(stack.values, layer),
  }));
}

/** @returns [L, n·KV, T, hd] */
export function stackOf(memories: Memories, config: ModelConfig): Memory {
  if (runsAsLoop(config)) return entry(memories, 0);
  return {
    keys: tf.stack(memories.map(({ keys }) => keys)),
    values: tf.stack(memories.map(({ values }) => values)),
  };
}
