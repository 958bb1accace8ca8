/** How many calls of an actor run at once unless its options say: as Ray decides it, by whether its methods are async. */

/** As Ray's for async actors. */
const asyncConcurrency = 1_000;

/** Not called remotely: that they are async says nothing about the methods. */
const lifeHooks: ReadonlySet<string> = new Set(["constructor", "start", "stop"]);

/**
 * 1000 when a method of the class, or of one that it extends, is an async function or an async generator, else 1. One that
 * returns a promise without being declared async does not count.
 */
export function defaultConcurrencyOf(instance: object): number {
  let prototype: unknown = Object.getPrototypeOf(instance);
  while (typeof prototype === "object" && prototype !== null && prototype !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      if (lifeHooks.has(name)) continue;
      // Getters are not run.
      const member: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
      if (typeof member === "function" && isAsync(member)) return asyncConcurrency;
    }
    prototype = Object.getPrototypeOf(prototype);
  }
  return 1;
}

/** Compilers keep async functions as such from ES2017 on, and async generators from ES2018 on. */
function isAsync(method: object): boolean {
  const tag = Object.prototype.toString.call(method);
  return tag === "[object AsyncFunction]" || tag === "[object AsyncGeneratorFunction]";
}
