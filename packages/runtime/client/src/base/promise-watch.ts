interface Watch {
  isSettled: boolean;
  readonly listeners: Set<() => void>;
}

/**
 * One watch for each promise: what is attached to a promise itself stays until it settles, and loops wait for the same
 * promises again and again.
 */
const watches = new WeakMap<PromiseLike<unknown>, Watch>();

/**
 * Calls back when the promise has settled, successfully or not.
 * @returns a function that removes the listener; undefined if the promise is known to have settled, so that nothing is
 *   called back
 */
export function whenSettled(promise: PromiseLike<unknown>, listener: () => void): (() => void) | undefined {
  const { isSettled, listeners } = watches.get(promise) ?? watched(promise);
  if (isSettled) return undefined;
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function watched(promise: PromiseLike<unknown>): Watch {
  const watch: Watch = { isSettled: false, listeners: new Set() };
  watches.set(promise, watch);
  const settle = () => {
    watch.isSettled = true;
    for (const listener of watch.listeners) listener();
    watch.listeners.clear();
  };
  promise.then(settle, settle);
  return watch;
}
