import { JitError } from "./error.js";
import { describeShortage, memoryShortage } from "./memory-shortage.js";

/**
 * What a failed run of the tensor backend is to callers: MEMORY_EXHAUSTED where memory was missing, with how much was asked
 * for and how much is free, else EXECUTION_FAILED.
 * @param what what was run, such as `function "train"`
 * @param losesState the module's state is gone with it
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
