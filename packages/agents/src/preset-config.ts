import type { z } from "zod";
import { AgentError } from "./error.js";
import { settingsProblem } from "./settings-problem.js";

/**
 * A preset's settings with some of them replaced, checked.
 * @param agent names the settings in messages
 * @throws {AgentError} BAD_CONFIG
 */
export function presetConfig<Schema extends z.ZodType>(
  agent: string,
  schema: Schema,
  presets: Readonly<Record<string, object>>,
  preset: string,
  overrides: object,
): z.output<Schema> {
  const base = Object.hasOwn(presets, preset) ? presets[preset] : undefined;
  if (base === undefined) {
    throw new AgentError(
      "BAD_CONFIG",
      `preset: "${preset}" is unknown; use one of ${Object.keys(presets).join(", ")}`,
    );
  }
  const parsed = schema.safeParse({ ...base, ...overrides });
  if (!parsed.success)
    throw new AgentError("BAD_CONFIG", `${agent}: ${settingsProblem(parsed.error, schema)}`);
  return parsed.data;
}
