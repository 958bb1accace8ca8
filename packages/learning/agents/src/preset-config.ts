import { parseInput, shownValue } from "@palimpsest/std/input";
import { z } from "zod";
import { checkArgument } from "./agent-parts.js";
import { AgentError } from "./error.js";

/**
 * Replaces some of a preset's settings, and validates the result.
 * @param agent the name with which error messages begin
 * @throws {AgentError} BAD_CONFIG
 */
export function presetConfig<Schema extends z.ZodType>(
  agent: string,
  schema: Schema,
  presets: Readonly<Record<string, object>>,
  preset: string,
  overrides: object,
): z.output<Schema> {
  checkArgument(z.looseObject({}), overrides, `${agent} settings`);
  const base = Object.hasOwn(presets, preset) ? presets[preset] : undefined;
  if (base === undefined) {
    throw new AgentError(
      "BAD_CONFIG",
      `preset: ${shownValue(preset)} is unknown; use one of ${Object.keys(presets).join(", ")}`,
    );
  }
  const settings = { ...base, ...overrides };
  return parseInput(schema, settings, (problem) => new AgentError("BAD_CONFIG", `${agent}: ${problem}`));
}
