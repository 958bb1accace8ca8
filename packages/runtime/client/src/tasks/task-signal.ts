let current: (() => AbortSignal) | undefined;

/**
 * Returns the signal of the task that runs in this process, if one does. Whatever that task submits is canceled with
 * it.
 */
export function currentTaskSignal(): AbortSignal | undefined {
  return current?.();
}

/** For the process that hosts tasks. @param signal returns the signal of the running task */
export function setTaskSignal(signal: () => AbortSignal): void {
  current = signal;
}
