import { DatasetError } from "../error.js";
import type { DraftInput } from "./draft.js";

/** Returns the error for a task whose smallest document is longer than requested. */
export function noDocument({ name, budgetTokens }: DraftInput): DatasetError {
  return new DatasetError(
    "BAD_CONFIG",
    `lengths: ${Math.max(0, budgetTokens)} tokens are left for document and question, too few for ${name}; raise lengths`,
    { task: name, budgetTokens },
  );
}
