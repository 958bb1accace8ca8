import { CodedError } from "@palimpsest/std";
import { thrownMessage } from "./thrown.js";

/**
 * Says what went wrong, for programs. The set is closed: a code has one meaning and one family, and docs/errors.md
 * explains each.
 */
export const errorCodes = {
  /** The caller's input or configuration is wrong, so the same call will fail again. */
  INVALID_ARGUMENT: { retryable: false, grpcStatus: 3 },
  CONFIG_INVALID: { retryable: false, grpcStatus: 3 },
  NOT_FOUND: { retryable: false, grpcStatus: 5 },
  ALREADY_EXISTS: { retryable: false, grpcStatus: 6 },
  UNAUTHENTICATED: { retryable: false, grpcStatus: 16 },
  /** The caller is known, and its role does not allow the call. */
  PERMISSION_DENIED: { retryable: false, grpcStatus: 7 },
  LIMIT_EXCEEDED: { retryable: false, grpcStatus: 8 },
  /** User code threw inside an actor; the remote error is the cause. */
  ACTOR_ERROR: { retryable: false, grpcStatus: 2 },
  /** The actor's process ended and will not be restarted. The details carry its death certificate. */
  ACTOR_DIED: { retryable: false, grpcStatus: 10 },
  /** The actor is restarting or out of reach. The call may or may not have run. */
  ACTOR_UNAVAILABLE: { retryable: true, grpcStatus: 14 },
  /** User code threw inside a task; the remote error is the cause. */
  TASK_ERROR: { retryable: false, grpcStatus: 2 },
  /** The process that ran the task ended, and no retries are left. The details carry its death certificate. */
  WORKER_DIED: { retryable: true, grpcStatus: 14 },
  /**
   * The runtime environment of an actor or task could not be created on its node. The message names the part and the
   * reason.
   */
  ENVIRONMENT_FAILED: { retryable: false, grpcStatus: 9 },
  /** The module of an actor or task threw while it was imported, or lacks what is asked of it; none of its code has run. */
  IMPORT_FAILED: { retryable: false, grpcStatus: 9 },
  NODE_DIED: { retryable: false, grpcStatus: 14 },
  OWNER_DIED: { retryable: false, grpcStatus: 10 },
  OBJECT_LOST: { retryable: false, grpcStatus: 5 },
  OBJECT_STORE_FULL: { retryable: true, grpcStatus: 8 },
  /** No answer arrived within the deadline. The call may still run. */
  GET_TIMEOUT: { retryable: true, grpcStatus: 4 },
  CANCELLED: { retryable: false, grpcStatus: 1 },
  UNSCHEDULABLE: { retryable: true, grpcStatus: 8 },
  PENDING_CALLS_LIMIT: { retryable: true, grpcStatus: 8 },
  /** A queue had no room within the time that the caller was willing to wait. */
  QUEUE_FULL: { retryable: true, grpcStatus: 8 },
  /** A queue had fewer items than requested within the time that the caller was willing to wait. */
  QUEUE_EMPTY: { retryable: true, grpcStatus: 8 },
  STALE_POLICY: { retryable: false, grpcStatus: 9 },
  /** The head, a node or Redis cannot be reached. */
  UNAVAILABLE: { retryable: true, grpcStatus: 14 },
  /** A message could not be decoded, because it is of another version or damaged. */
  CODEC: { retryable: false, grpcStatus: 13 },
  INTERNAL: { retryable: false, grpcStatus: 13 },
} as const;

/** A code of the closed set of the runtime's errors; docs/errors.md explains each. */
export type ErrorCode = keyof typeof errorCodes;

/** Facts about an error for programs, such as `actorId` and `exitCode`. */
export type ErrorDetails = Readonly<Record<string, string | number>>;

/** Details, cause and retryability of an error. */
export interface ErrorOptions {
  readonly details?: ErrorDetails;
  readonly cause?: unknown;
  /** Whether the same call may succeed when it is retried. Default: the code's own value. */
  readonly retryable?: boolean;
}

/** The one error class of the runtime. It travels as palimpsest.v1.Error and arrives as this class. */
export class PalimpsestError extends CodedError<ErrorCode, ErrorDetails> {
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super("PalimpsestError", code, message, options);
    this.retryable = options.retryable ?? errorCodes[code].retryable;
  }

  /** Converts any thrown value to a PalimpsestError. A PalimpsestError is returned unchanged. */
  static from(reason: unknown, code: ErrorCode = "INTERNAL"): PalimpsestError {
    if (isPalimpsestError(reason)) return reason;
    const cause = typeof reason === "object" && reason !== null ? { cause: reason } : {};
    return new PalimpsestError(code, thrownMessage(reason), cause);
  }
}

/** Like `instanceof`, also for a proxy that refuses to name its prototype. */
export function isPalimpsestError(reason: unknown): reason is PalimpsestError {
  try {
    return reason instanceof PalimpsestError;
  } catch {
    return false;
  }
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}
