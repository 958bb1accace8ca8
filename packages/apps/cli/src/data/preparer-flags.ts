import type { Preparer } from "@palimpsest/datasets";
import { parseInput } from "@palimpsest/std/input";
import { type Command, InvalidArgumentError, Option } from "commander";
import { z } from "zod";

/** The fields of a JSON schema that are used here. */
const fieldSchema = z.object({
  type: z.enum(["string", "integer", "number", "boolean", "array", "object"]).optional(),
  enum: z.array(z.string()).optional(),
  items: z.object({ type: z.string().optional() }).optional(),
  default: z.unknown().optional(),
  description: z.string().optional(),
});
type Field = z.infer<typeof fieldSchema>;

/** Adds a flag for each of a preparer's options: `minDistance` is `--min-distance`. */
export function withPreparerFlags(command: Command, preparer: Preparer): Command {
  const required = new Set(schemaOf(preparer).required);
  for (const [name, field] of fieldsOf(preparer)) {
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const schema: unknown = preparer.options.shape[name];
    const check = (value: unknown) =>
      schema instanceof z.ZodType
        ? parseInput(schema, value, (problem) => new InvalidArgumentError(problem))
        : value;
    command.addOption(optionOf(flag, field, required.has(name) && field.default === undefined, check));
  }
  return command;
}

/** Returns the preparer's options among those that commander parsed. */
export function preparerOptions(
  preparer: Preparer,
  flags: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const [name] of fieldsOf(preparer)) if (flags[name] !== undefined) options[name] = flags[name];
  return options;
}

function schemaOf({ options }: Preparer) {
  const shape = z.object({
    properties: z.record(z.string(), z.unknown()).default({}),
    required: z.array(z.string()).default([]),
  });
  return shape.parse(z.toJSONSchema(options, { io: "input", unrepresentable: "any" }));
}

function fieldsOf(preparer: Preparer): [string, Field][] {
  return Object.entries(schemaOf(preparer).properties).map(([name, value]) => [
    name,
    fieldSchema.parse(value),
  ]);
}

function optionOf(
  flag: string,
  field: Field,
  mandatory: boolean,
  check: (value: unknown) => unknown,
): Option {
  const described = field.description ?? "";
  if (field.type === "boolean") return new Option(`--${flag}`, described);
  const many = field.type === "array";
  const shown = many && Array.isArray(field.default) ? field.default.join(" ") : field.default;
  const text = shown === undefined || shown === "" ? described : `${described} (default: ${String(shown)})`;
  const option = new Option(`--${flag} <${many ? "values..." : (field.type ?? "value")}>`, text);
  if (mandatory) option.makeOptionMandatory();
  if (field.enum) return option.choices(field.enum);
  if (many) {
    const numbers = field.items?.type === "integer" || field.items?.type === "number";
    return option.argParser((value: string, before: readonly unknown[] | undefined) => [
      ...(before ?? []),
      ...(numbers
        ? value
            .split(/[\s,]+/)
            .filter(Boolean)
            .map(numberOf)
        : [value]),
    ]);
  }
  return field.type === "integer" || field.type === "number"
    ? option.argParser((text) => check(numberOf(text)))
    : option;
}

function numberOf(text: string): number {
  const value = Number(text.replaceAll("_", ""));
  if (text.trim() === "" || !Number.isFinite(value))
    throw new InvalidArgumentError(`"${text}" is not a number; write one such as 8`);
  return value;
}
