import { setMaxListeners } from "node:events";
import { Option } from "commander";

/** Time for the last lines of output. */
const exitAfterMs = 1_000;
const stopping = ["SIGINT", "SIGTERM"] as const;

let interrupted = false;

/** Whether a signal, or the end of standard input with its flag, has asked this process to stop. */
export const wasInterrupted = (): boolean => interrupted;

export interface StopFlags {
  readonly untilStdinEnds?: boolean;
}

/**
 * Creates the flag of commands that another program starts for its own lifetime: however that program ends, the kernel
 * closes the pipe to this process.
 */
export function untilStdinEndsOption(): Option {
  return new Option("--until-stdin-ends", "also stops when its standard input ends").hideHelp();
}

/**
 * Aborts at the first SIGINT or SIGTERM, and with the flag at the end of standard input; the second signal ends the
 * process at once. The end of standard input is none: it may come with a signal that all processes of a group get.
 */
export function stopSignal(flags: StopFlags = {}): AbortSignal {
  const { signal, stop } = listen();
  if (flags.untilStdinEnds) {
    const { stdin } = process;
    for (const event of ["end", "close", "error"] as const)
      stdin.once(event, () => stop("the end of standard input"));
    stdin.resume();
    // A pipe that is read would keep the process alive after its work. It has no unref() if it is a file.
    if ("unref" in stdin) stdin.unref();
  }
  return signal;
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

/**
 * Ends the process a second after its work, even if something still holds it: a connection that is being made to a
 * machine that vanished lasts minutes, and grpc-js cannot cancel it. A container that is stopped would be killed by then.
 */
export function exitSoon(): void {
  setTimeout(() => process.exit(), exitAfterMs).unref();
}

function listen(): {
  readonly signal: AbortSignal;
  readonly stop: (by: string) => void;
  readonly forget: () => void;
} {
  const controller = new AbortController();
  // Every request in progress listens to the signal, and hundreds of them are no leak of listeners.
  setMaxListeners(0, controller.signal);
  const stop = (by: string) => {
    if (controller.signal.aborted) return;
    interrupted = true;
    controller.abort(new Error(`stopped by ${by}`));
  };
  let isTold = false;
  const handlers = stopping.map((name) => {
    const onSignal = () => {
      if (isTold) process.exit(130);
      isTold = true;
      stop(name);
    };
    process.on(name, onSignal);
    return () => process.off(name, onSignal);
  });
  return {
    signal: controller.signal,
    stop,
    forget: () => {
      for (const off of handlers) off();
    },
  };
}
