import { JitError } from "../base/error.js";
import { describeShortage, memoryShortage } from "../base/memory-shortage.js";

/**
 * Converts a failure of the tensor backend to an error for callers: MEMORY_EXHAUSTED if memory ran out, with the requested and
 * the free size, else EXECUTION_FAILED.
 * @param what what was run, such as `function "train"`
 * @param losesState whether the module's state is gone with it
 */
export function executionError(
  what: string,
  cause: unknown,
  { gpu, losesState = false }: { readonly gpu: boolean; readonly losesState?: boolean },
): JitError {
  if (cause instanceof JitError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  const shortage = memoryShortage(message, gpu);
  if (shortage === undefined)
    return new JitError("EXECUTION_FAILED", `TensorFlow could not run ${what}: ${message}`, {
      cause,
      losesState,
    });
  return new JitError("MEMORY_EXHAUSTED", `${what} did not run: ${describeShortage(shortage)}`, {
    cause,
    shortage,
    losesState,
  });
}
