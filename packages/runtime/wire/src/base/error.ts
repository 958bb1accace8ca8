import { CodedError } from "@palimpsest/std";
import { thrownMessage } from "./thrown.js";

/**
 * Says what went wrong, for programs. The set is closed: a code has one meaning. docs/errors.md is made from these comments,
 * each of which says what the code means and, after "Fix:", what to do.
 */
export const errorCodes = {
  /** An argument is wrong; the message names it. Fix: fix the call. */
  INVALID_ARGUMENT: { retryable: false, grpcStatus: 3 },
  /** A recipe or configuration is wrong; the message names field, value and fix. Fix: fix the file. */
  CONFIG_INVALID: { retryable: false, grpcStatus: 3 },
  /**
   * There is no such actor, job, object, bundle or file. Fix: check the name; `palimpsest list` shows what there
   * is.
   */
  NOT_FOUND: { retryable: false, grpcStatus: 5 },
  /**
   * A name or id is taken by something else, the actor that `getOrCreate` asks for differs in the fields of its
   * details, or a newer process has taken over. Fix: choose another name.
   */
  ALREADY_EXISTS: { retryable: false, grpcStatus: 6 },
  /**
   * The token is missing or not this cluster's. Fix: `--token` or `PALIMPSEST_TOKEN`; `head start` prints where the
   * token is.
   */
  UNAUTHENTICATED: { retryable: false, grpcStatus: 16 },
  /**
   * The caller is known, and the role of its certificate or token does not allow the call. Fix: use a certificate
   * or token of a role that allows it; docs/guides/security.md lists the roles.
   */
  PERMISSION_DENIED: { retryable: false, grpcStatus: 7 },
  /** A size or count exceeds a limit of the configuration. Fix: send less, or raise the limit. */
  LIMIT_EXCEEDED: { retryable: false, grpcStatus: 8 },
  /** The actor's own code threw; `cause` is that error with its remote stack. Fix: fix the actor's code. */
  ACTOR_ERROR: { retryable: false, grpcStatus: 2 },
  /**
   * The actor's process ended and will not come back; details carry the death certificate. Fix: read the
   * certificate; `maxRestarts` brings actors back.
   */
  ACTOR_DIED: { retryable: false, grpcStatus: 10 },
  /**
   * The actor is restarting or unreachable; the call may or may not have run. Fix: call again, or set
   * `maxTaskRetries` for methods that may run twice.
   */
  ACTOR_UNAVAILABLE: { retryable: true, grpcStatus: 14 },
  /**
   * The task's own code threw; `cause` is that error with its remote stack. Fix: fix the function, or set
   * `retryExceptions`.
   */
  TASK_ERROR: { retryable: false, grpcStatus: 2 },
  /**
   * The process that ran the task ended under it, as often as `maxRetries` allows, or could not be started; details
   * carry its death certificate. Fix: read the certificate; call again, or raise `maxRetries` for functions that
   * may run twice.
   */
  WORKER_DIED: { retryable: true, grpcStatus: 14 },
  /**
   * The working directory or the packages of an actor or task could not be prepared on its node; the message
   * contains the end of the installer's log, the details its path. Fix: fix what the message names: the lockfile,
   * the registry, the size.
   */
  ENVIRONMENT_FAILED: { retryable: false, grpcStatus: 9 },
  /**
   * The module of an actor or task threw while it was imported, for example because a variable is missing, or does
   * not export what is asked for; the message names its file and line. Fix: fix the module, pass what it needs in
   * `environment`, or name another export.
   */
  IMPORT_FAILED: { retryable: false, grpcStatus: 9 },
  /** The machine stopped answering. Fix: start it again with `worker join`. */
  NODE_DIED: { retryable: false, grpcStatus: 14 },
  /** The driver that owned the actor is gone. Fix: make the actor `detached`, or keep the driver. */
  OWNER_DIED: { retryable: false, grpcStatus: 10 },
  /**
   * No node has the object any more: the owners of its references ended, it was freed, or its node is gone. Fix:
   * put it again, and keep a reference as long as it is needed.
   */
  OBJECT_LOST: { retryable: false, grpcStatus: 5 },
  /**
   * The node's object store is full, all values in it are leased or in use, and either the limit of what may be spilled to
   * disk (`objectSpillBytes`) is reached, too, or programs have them mapped, which keeps their pages in memory; the
   * message names the owner of the most bytes. Fix: `release` or `free` objects, drop their arrays or call
   * `releasePages`, end their owners, or raise `objectStoreBytes` or `objectSpillBytes`.
   */
  OBJECT_STORE_FULL: { retryable: true, grpcStatus: 8 },
  /**
   * No answer within the deadline; the call may still run. Fix: wait longer, or look at the actor with `palimpsest
   * list actors`.
   */
  GET_TIMEOUT: { retryable: true, grpcStatus: 4 },
  /** The caller aborted, or the connection was closed. Fix: nothing needs to be done. */
  CANCELLED: { retryable: false, grpcStatus: 1 },
  /** No node can hold the actor; the message says what each lacks. Fix: add a node, or request less. */
  UNSCHEDULABLE: { retryable: true, grpcStatus: 8 },
  /**
   * The actor's mailbox is full, or the caller has too many calls or bytes without an answer, or an `ActorPool` too
   * many results that nobody has read. Fix: wait for replies before calling more, raise `maxPendingCalls` or
   * `maxPendingBytes`, pass large data as objects.
   */
  PENDING_CALLS_LIMIT: { retryable: true, grpcStatus: 8 },
  /** A `Queue` had no room for the items within `timeoutMs`. Fix: wait longer, take items out, or make it larger. */
  QUEUE_FULL: { retryable: true, grpcStatus: 8 },
  /** A `Queue` had fewer items than were requested within `timeoutMs`. Fix: wait longer. */
  QUEUE_EMPTY: { retryable: true, grpcStatus: 8 },
  /**
   * A trajectory or sampler is behind the policy version that is wanted, or a learner behind the checkpoint on
   * disk. Fix: check that the learner publishes. The error of a learner that is behind is retryable, and its driver
   * restarts the learner.
   */
  STALE_POLICY: { retryable: false, grpcStatus: 9 },
  /** The head, a node or Redis cannot be reached. Fix: check that it runs and that the address is right. */
  UNAVAILABLE: { retryable: true, grpcStatus: 14 },
  /**
   * Bytes cannot be decoded, or weights do not have the hash that was published. Fix: run the same version
   * everywhere.
   */
  CODEC: { retryable: false, grpcStatus: 13 },
  /**
   * Two processes of different versions have no protocol in common, one calls a method that the other one does not know,
   * or the state in Redis was written by a newer head; the message names both. Fix: upgrade the older one; `palimpsest
   * upgrade plan` shows the order.
   */
  PROTOCOL_MISMATCH: { retryable: false, grpcStatus: 12 },
  /** A defect of Palimpsest. Fix: report it with the message. */
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
