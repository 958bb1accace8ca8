/** Converts errors to answers of HTTP. */
import { type ErrorCode, PalimpsestError } from "@palimpsest/wire";

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
