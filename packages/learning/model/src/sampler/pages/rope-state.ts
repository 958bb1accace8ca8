import type { StateSpec, Tensors, tf } from "@palimpsest/jit";
import { type AttentionKinds, attentionKinds } from "../../base/attention-kind.js";
import type { ModelConfig } from "../../base/config.js";
import { ropeTables } from "../../forward/rope.js";
import { named } from "../weights/packed-layers.js";

/*
 * Rotary tables [maxLength, headDim] of a sampler, one pair for each kind of attention that layers have.
 */

type Table = "ropeCos" | "ropeSin";

function tableName(name: Table, kind: number): string {
  return kind === 0 ? name : `${name}.${kind}`;
}

/** The state entries of the tables. */
export function ropeState(config: ModelConfig, maxLength: number): Record<string, StateSpec> {
  return Object.fromEntries(
    Object.keys(ropeValues(config, 0, maxLength)).map((name) => [
      name,
      { shape: [maxLength, config.headDim], dtype: "float32" },
    ]),
  );
}

/** The contents of the tables. @param positions how many of the `maxLength` are computed */
export function ropeValues(
  config: ModelConfig,
  positions: number,
  maxLength = positions,
): Record<string, Float32Array> {
  const { kinds } = attentionKinds(config, maxLength);
  return Object.fromEntries(
    kinds.flatMap((kind, index) => {
      const { cos, sin } = ropeTables(kind, positions);
      return [[tableName("ropeCos", index), cos] as const, [tableName("ropeSin", index), sin] as const];
    }),
  );
}

/** One table of a kind of attention. */
export function ropeTable(state: Tensors, name: Table, kind: number): tf.Tensor {
  return named(state, tableName(name, kind));
}

/** The kinds of attention in sequences of at most as many tokens as the tables have positions. */
export function pageKinds(state: Tensors, config: ModelConfig): AttentionKinds {
  return attentionKinds(config, ropeTable(state, "ropeCos", 0).shape[0] ?? 0);
}
