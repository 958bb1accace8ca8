interface Listening {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const listeners = new WeakMap<AbortSignal, Listening>();

/**
 * Calls back once when the signal aborts; what is returned takes that back. A signal has one listener for all of its callbacks:
 * an EventTarget compares each new listener with all that it has, so that a signal that is shared by thousands of calls
 * would take longer for each of them.
 */
export function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, listener } = listeners.get(signal) ?? listening(signal);
  if (callbacks.size === 0) signal.addEventListener("abort", listener, { once: true });
  // One of its own, so that one function may be told twice.
  const own = () => callback();
  callbacks.add(own);
  return () => {
    if (callbacks.delete(own) && callbacks.size === 0) signal.removeEventListener("abort", listener);
  };
}

/** It does not refer to the signal, which the collector takes when nobody else does. */
function listening(signal: AbortSignal): Listening {
  const callbacks = new Set<() => void>();
  const listener = () => {
    for (const callback of callbacks) {
      callbacks.delete(callback);
      try {
        callback();
      } catch (reason) {
        // As an EventTarget does it: the others are told all the same.
        process.nextTick(() => {
          throw reason;
        });
      }
    }
  };
  const made = { callbacks, listener };
  listeners.set(signal, made);
  return made;
}
