import { z } from "zod";
import { plainTime } from "../search-filter.js";

const objectSchema = z.record(z.string(), z.unknown());

/**
 * Reads the arguments of a call as models and clients write them. Clients with strict schemas send an optional argument
 * that they leave out as null; models write numbers, lists and whole calls as texts, and times with a zone. What the
 * tool's schema accepts as it is stays as it is, and what it accepts in no form is left to its refusal.
 */
export function readArguments(schema: z.ZodObject, args: unknown): unknown {
  const given = objectSchema.safeParse(typeof args === "string" ? parsed(args) : args).data;
  if (given === undefined) return args;
  const fields: Readonly<Record<string, z.core.$ZodType | undefined>> = schema.shape;
  return Object.fromEntries(
    Object.entries(given)
      .filter(([name, value]) => {
        const field = fields[name];
        return value !== null || field === undefined || !z.safeParse(field, undefined).success;
      })
      .map(([name, value]) => {
        const field = fields[name];
        if (field === undefined || z.safeParse(field, value).success) return [name, value];
        const other = forms(value).find((form) => form !== undefined && z.safeParse(field, form).success);
        return [name, other === undefined ? value : other];
      }),
  );
}

/** Returns what a value may stand for. */
function forms(value: unknown): unknown[] {
  if (typeof value === "string") {
    const text = value.trim();
    if (text === "") return [];
    return [Number(text), parsed(text), plainTime(text), text.toLowerCase()];
  }
  const object = objectSchema.safeParse(value).data;
  if (object === undefined) return [];
  return [Object.fromEntries(Object.entries(object).filter(([, field]) => field !== null))];
}

/** Returns undefined for a text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
