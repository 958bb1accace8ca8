import { DatasetError } from "../error.js";
import type { DraftInput } from "./draft.js";

/** The smallest document of a task is longer than asked for. */
export function noDocument({ name, budgetTokens }: DraftInput): DatasetError {
  return new DatasetError(
    "BAD_CONFIG",
    `lengths: ${Math.max(0, budgetTokens)} tokens for document and question are too few for ${name}; raise lengths`,
    { task: name, budgetTokens },
  );
}
