let current: (() => AbortSignal) | undefined;

/** Of the task that runs in this process, if one does: what it submits is canceled with it. */
export function currentTaskSignal(): AbortSignal | undefined {
  return current?.();
}

/** For the process that hosts tasks. @param signal gives that of the task that runs */
export function setTaskSignal(signal: () => AbortSignal): void {
  current = signal;
}
