interface Listening {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const listeners = new WeakMap<AbortSignal, Listening>();

/**
 * Calls back once when the signal aborts. The returned function removes the callback. All callbacks of a signal share
 * one listener, because an EventTarget compares each new listener with all existing ones, which would slow down every
 * call on a signal that thousands of calls share.
 */
export function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, listener } = listeners.get(signal) ?? listening(signal);
  if (callbacks.size === 0) signal.addEventListener("abort", listener, { once: true });
  // A new function for each registration, so that one callback may be registered twice.
  const own = () => callback();
  callbacks.add(own);
  return () => {
    if (callbacks.delete(own) && callbacks.size === 0) signal.removeEventListener("abort", listener);
  };
}

/**
 * The listener does not refer to the signal, so that the signal can be garbage-collected when nobody else refers to it.
 */
function listening(signal: AbortSignal): Listening {
  const callbacks = new Set<() => void>();
  const listener = () => {
    for (const callback of callbacks) {
      callbacks.delete(callback);
      try {
        callback();
      } catch (reason) {
        // As with an EventTarget, an error of one callback does not keep the others from being called.
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
