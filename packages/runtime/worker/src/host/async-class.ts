/**
 * Determines how many calls of an actor run concurrently by default. As in Ray, this depends on whether its methods are
 * async.
 */

/** Ray's default for async actors. */
const asyncConcurrency = 1_000;

/** These methods are not called remotely, so it does not matter whether they are async. */
const lifeHooks: ReadonlySet<string> = new Set(["constructor", "start", "stop"]);

/**
 * Returns 1000 if a method of the class, or of a superclass, is an async function or an async generator, else 1. A
 * method that returns a promise without being declared async does not count.
 */
export function defaultConcurrencyOf(instance: object): number {
  let prototype: unknown = Object.getPrototypeOf(instance);
  while (typeof prototype === "object" && prototype !== null && prototype !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      if (lifeHooks.has(name)) continue;
      // Descriptors are read instead of values, so that getters are not run.
      const member: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
      if (typeof member === "function" && isAsync(member)) return asyncConcurrency;
    }
    prototype = Object.getPrototypeOf(prototype);
  }
  return 1;
}

/** Compilers preserve async functions from target ES2017 on, and async generators from ES2018 on. */
function isAsync(method: object): boolean {
  const tag = Object.prototype.toString.call(method);
  return tag === "[object AsyncFunction]" || tag === "[object AsyncGeneratorFunction]";
}
