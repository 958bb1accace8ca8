/** Converts errors to answers of HTTP. */
import { type ErrorCode, PalimpsestError } from "@palimpsest/wire";
import type { z } from "zod";

const statuses: Partial<Record<ErrorCode, number>> = {
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  INVALID_ARGUMENT: 400,
  CONFIG_INVALID: 400,
  LIMIT_EXCEEDED: 413,
  GET_TIMEOUT: 504,
  UNAVAILABLE: 503,
};

export interface ErrorAnswer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export function errorAnswer(reason: unknown): ErrorAnswer {
  const error = PalimpsestError.from(reason);
  return { status: statuses[error.code] ?? 500, code: error.code, message: error.rawMessage };
}

/** @throws {PalimpsestError} INVALID_ARGUMENT naming each field */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || what}: ${message}`);
  throw new PalimpsestError("INVALID_ARGUMENT", `${what}: ${problems.join("; ")}`);
}
