import { type SystemFailure, systemFailure } from "@palimpsest/std/input";

/** What the operating system says of paths. Other codes are of the network, or of a machine that is full. */
const ofPaths = new Set(["ENOENT", "EACCES", "EPERM", "EROFS", "EISDIR", "ENOTDIR"]);

/** Errors of these codes tell of files of an actor or a task, which may lie on another machine. */
const ofOthers = new Set(["ACTOR_ERROR", "TASK_ERROR"]);

/** Returns what is wrong with a file or a folder, which is the error itself or what caused it; undefined for all else. */
export function pathFailure(reason: unknown): SystemFailure | undefined {
  for (let error = reason; error instanceof Error; error = error.cause) {
    if ("code" in error && ofOthers.has(String(error.code))) return undefined;
    const failure = systemFailure(error);
    // A program that cannot be started is no file of the user's.
    const isProgram = String(Reflect.get(error, "syscall")).startsWith("spawn");
    // Reading a folder fails without its path.
    const isPath = failure?.where !== undefined || failure?.code === "EISDIR";
    if (failure !== undefined && isPath && ofPaths.has(failure.code) && !isProgram) return failure;
  }
  return undefined;
}
