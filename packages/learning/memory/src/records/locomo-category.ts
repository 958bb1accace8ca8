/** Categories of LoCoMo's questions, in the order of their numbers 1 … 5, named as in its paper. */
export const locomoCategories = [
  "multi-hop",
  "temporal",
  "open-domain",
  "single-hop",
  "adversarial",
] as const;
export type LocomoCategory = (typeof locomoCategories)[number];
