import { inputAt, type OpRule } from "./rule.js";

/** An optimizer step, chosen at emission: over the variables themselves where the results are their new values. */
export const ADAM = "PalimpsestAdam";

export const adamRule: OpRule = {
  infer: (inputs, { operation }) => [0, 1, 2].map((position) => inputAt(inputs, position, operation)),
  shares: "input",
  outputs: ["weights", "moment1", "moment2"],
};
