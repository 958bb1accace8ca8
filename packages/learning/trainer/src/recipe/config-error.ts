import { parseInput } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import type { z } from "zod";
import { formerNames } from "./former-names.js";

/** Parses, or throws one line that lists every wrong field and the expected value. */
export function parseConfig<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  name: string,
): z.output<Schema> {
  const refuse = (problem: string) => new PalimpsestError("CONFIG_INVALID", `${name}: ${problem}`);
  return parseInput(schema, input, refuse, { former: formerNames });
}
