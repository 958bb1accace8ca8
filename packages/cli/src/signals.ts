import { setMaxListeners } from "node:events";

const stopping = ["SIGINT", "SIGTERM"] as const;

/** Aborts at the first SIGINT or SIGTERM; the second ends the process at once. */
export function stopSignal(): AbortSignal {
  return listen().signal;
}

/** Runs a part of a command that SIGINT and SIGTERM abort. Afterwards the signals have their previous effect again. */
export async function untilStopped<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, forget } = listen();
  try {
    return await work(signal);
  } finally {
    forget();
  }
}

function listen(): { readonly signal: AbortSignal; readonly forget: () => void } {
  const controller = new AbortController();
  // Every request in progress listens to the signal, and hundreds of them are no leak of listeners.
  setMaxListeners(0, controller.signal);
  const handlers = stopping.map((name) => {
    const stop = () => {
      if (controller.signal.aborted) process.exit(130);
      controller.abort(new Error(`stopped by ${name}`));
    };
    process.on(name, stop);
    return () => process.off(name, stop);
  });
  return {
    signal: controller.signal,
    forget: () => {
      for (const off of handlers) off();
    },
  };
}
