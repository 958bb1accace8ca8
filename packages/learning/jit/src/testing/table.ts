import type { Case } from "./case.js";
import { elementwiseCases } from "./elementwise.js";
import { indexingCases } from "./indexing.js";
import { layoutCases } from "./layout.js";
import { reductionCases } from "./reduction.js";

/** The one table that both conformance suites run. */
export const cases: Readonly<Record<string, Case>> = {
  ...elementwiseCases,
  ...reductionCases,
  ...layoutCases,
  ...indexingCases,
};
