import { CodedError } from "@palimpsest/std";
import { systemFailure } from "@palimpsest/std/input";
import type { ErrorCode } from "@palimpsest/wire";
import { CommanderError } from "commander";
import { pathFailure } from "./path-failure.js";
import { wasInterrupted } from "./signals.js";

/** What the program says with its exit code. The set is closed; docs/commands.md is made from these comments. */
export const exitCodes = {
  /** It did what it was asked. */
  ok: 0,
  /** It failed, or what it was asked to check is not as it should be. */
  failed: 1,
  /** What was typed, or a file of settings, is wrong; the message names it. */
  usage: 2,
  /** There is no such actor, job, node, model, file or folder. */
  notFound: 3,
  /** The head, a node, Redis or another server cannot be reached, or did not answer in time: try again later. */
  unreachable: 4,
  /** The other side, or the file system, refused: a token, a role, a version or a permission. */
  refused: 5,
  /** A head or a worker wants to be started again, which `palimpsest upgrade` asked it for. */
  restart: 75,
  /** It was stopped by Ctrl-C or SIGTERM before it was done. */
  interrupted: 130,
} as const;

/** Returns the name of a code as people read it: "not found". */
export const exitCodeName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code for each code of the runtime's errors. */
const ofRuntime = {
  INVALID_ARGUMENT: exitCodes.usage,
  CONFIG_INVALID: exitCodes.usage,
  NOT_FOUND: exitCodes.notFound,
  ALREADY_EXISTS: exitCodes.failed,
  UNAUTHENTICATED: exitCodes.refused,
  PERMISSION_DENIED: exitCodes.refused,
  LIMIT_EXCEEDED: exitCodes.failed,
  ACTOR_ERROR: exitCodes.failed,
  ACTOR_DIED: exitCodes.failed,
  ACTOR_UNAVAILABLE: exitCodes.unreachable,
  TASK_ERROR: exitCodes.failed,
  WORKER_DIED: exitCodes.failed,
  ENVIRONMENT_FAILED: exitCodes.failed,
  IMPORT_FAILED: exitCodes.failed,
  NODE_DIED: exitCodes.unreachable,
  OWNER_DIED: exitCodes.failed,
  OBJECT_LOST: exitCodes.notFound,
  OBJECT_STORE_FULL: exitCodes.failed,
  GET_TIMEOUT: exitCodes.unreachable,
  CANCELLED: exitCodes.failed,
  UNSCHEDULABLE: exitCodes.failed,
  PENDING_CALLS_LIMIT: exitCodes.failed,
  QUEUE_FULL: exitCodes.failed,
  QUEUE_EMPTY: exitCodes.failed,
  STALE_POLICY: exitCodes.failed,
  UNAVAILABLE: exitCodes.unreachable,
  CODEC: exitCodes.failed,
  PROTOCOL_MISMATCH: exitCodes.refused,
  INTERNAL: exitCodes.failed,
} as const satisfies Readonly<Record<ErrorCode, ExitCode>>;

/** The same for those codes of learning packages and of the operating system that say more than that something failed. */
const others: Readonly<Record<string, ExitCode>> = {
  BAD_CONFIG: exitCodes.usage,
  BAD_INPUT: exitCodes.usage,
  BAD_TRACE: exitCodes.usage,
  REFERENCE_INVALID: exitCodes.usage,
  INVALID_OPTIONS: exitCodes.usage,
  REQUEST_INVALID: exitCodes.usage,
  UNKNOWN_REWARD: exitCodes.usage,
  FILE_MISSING: exitCodes.notFound,
  HUB_NOT_FOUND: exitCodes.notFound,
  HUB_REFUSED: exitCodes.refused,
  REFUSED: exitCodes.refused,
  HUB_UNREACHABLE: exitCodes.unreachable,
  OVERLOADED: exitCodes.unreachable,
  SERVER_FAILED: exitCodes.unreachable,
  TIMEOUT: exitCodes.unreachable,
  UNREACHABLE: exitCodes.unreachable,
  ECONNREFUSED: exitCodes.unreachable,
  EHOSTUNREACH: exitCodes.unreachable,
  ENOTFOUND: exitCodes.unreachable,
  ETIMEDOUT: exitCodes.unreachable,
};

/** What is wrong with a file or a folder counts first, whichever command, option or file names it. */
const ofPath: Readonly<Record<string, ExitCode>> = {
  ENOENT: exitCodes.notFound,
  EACCES: exitCodes.refused,
  EPERM: exitCodes.refused,
  EROFS: exitCodes.refused,
  EISDIR: exitCodes.usage,
  ENOTDIR: exitCodes.usage,
};

const byCode: Readonly<Record<string, ExitCode>> = { ...others, ...ofRuntime };

/** Returns the exit code for what a command has thrown. */
export function exitCodeOf(reason: unknown): ExitCode {
  if (wasInterrupted()) return exitCodes.interrupted;
  if (reason instanceof CommanderError) return exitCodes.usage;
  const path = pathFailure(reason);
  if (path !== undefined) return ofPath[path.code] ?? exitCodes.failed;
  const code = reason instanceof CodedError ? reason.code : systemFailure(reason)?.code;
  return (code !== undefined && Object.hasOwn(byCode, code) ? byCode[code] : undefined) ?? exitCodes.failed;
}
