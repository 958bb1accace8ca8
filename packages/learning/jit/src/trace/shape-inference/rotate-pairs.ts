import { inputAt, type OpRule } from "./rule.js";

/** A product of pairs as complex numbers, chosen when it is emitted: complex in a graph, by components for XLA. */
export const ROTATE_PAIRS = "PalimpsestRotatePairs";

export const rotatePairsRule: OpRule = {
  infer: (inputs, { operation }) => [inputAt(inputs, 0, operation)],
  shares: "input",
  outputs: ["output"],
};
