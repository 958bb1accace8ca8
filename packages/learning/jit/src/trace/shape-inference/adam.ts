import { inputAt, type OpRule } from "./rule.js";

/** An optimizer step, chosen when it is emitted: over the variables themselves if the results are their new values. */
export const ADAM = "PalimpsestAdam";

export const adamRule: OpRule = {
  infer: (inputs, { operation }) => [0, 1, 2].map((position) => inputAt(inputs, position, operation)),
  shares: "input",
  outputs: ["weights", "moment1", "moment2"],
};
