import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import { MemoryError } from "./error.js";

/** Refuses what a program gives. @throws {MemoryError} BAD_INPUT */
export function refuseUnfit(schema: z.ZodType, value: unknown, what: string): void {
  parseInput(schema, value, (problem) => new MemoryError("BAD_INPUT", `${what}: ${problem}`));
}

export const texts = z.array(z.string());
export const count = z.int().min(0);
export const filePath = z.string().min(1).max(4_096);
export const callback = z.custom<object>((value) => typeof value === "function", {
  error: "must be a function",
});
export const embedderPart = z.custom<object>(
  (value) =>
    typeof value === "object" &&
    value !== null &&
    typeof Reflect.get(value, "embed") === "function" &&
    typeof Reflect.get(value, "name") === "string" &&
    Number.isSafeInteger(Reflect.get(value, "dimensions")),
  { error: "must be an embedder with embed(), name and dimensions, such as hashedEmbedder()" },
);
