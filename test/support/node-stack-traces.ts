import { onTestFinished } from "vitest";

/**
 * Lets Node write the stack traces until the test ends, as in a user's process: with the source maps of modules that were
 * loaded after they were enabled. vitest writes its own, which know only the files that vitest loads.
 */
export function nodeStackTraces(): void {
  const { prepareStackTrace } = Error;
  Reflect.deleteProperty(Error, "prepareStackTrace");
  onTestFinished(() => {
    if (prepareStackTrace) Error.prepareStackTrace = prepareStackTrace;
    process.setSourceMapsEnabled(false);
  });
}
