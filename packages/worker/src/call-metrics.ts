import type { Metrics } from "@palimpsest/telemetry";

/** What an actor counts about its calls. Instruments are looked up once a method: calls are frequent. */
export interface CallMetrics {
  /** @param method one that the class has, else unknownMethod: a caller's inventions must not make series */
  ended(method: string, outcome: "ok" | "error" | "cancelled", ranSeconds: number): void;
  waited(seconds: number): void;
  refused(): void;
}

/** Stands for every method that the class does not have. */
export const unknownMethod = "(unknown)";

export function createCallMetrics(
  metrics: Metrics,
  mailbox: { readonly waiting: number; readonly running: number },
): CallMetrics {
  const calls = metrics.counter("palimpsest_actor_calls_total");
  const seconds = metrics.histogram("palimpsest_actor_call_seconds");
  const wait = metrics.histogram("palimpsest_actor_mailbox_wait_seconds");
  const rejected = metrics.counter("palimpsest_actor_rejected_calls_total");
  const waiting = metrics.gauge("palimpsest_actor_mailbox_calls");
  const running = metrics.gauge("palimpsest_actor_running_calls");
  // Sampled when somebody scrapes.
  Object.assign(waiting, { collect: () => waiting.set(mailbox.waiting) });
  Object.assign(running, { collect: () => running.set(mailbox.running) });

  const byMethod = new Map<string, ReturnType<typeof instruments>>();
  function instruments(method: string) {
    return {
      ok: calls.labels({ method, outcome: "ok" }),
      error: calls.labels({ method, outcome: "error" }),
      cancelled: calls.labels({ method, outcome: "cancelled" }),
      seconds: seconds.labels({ method }),
    };
  }

  return {
    ended(method, outcome, ranSeconds) {
      let found = byMethod.get(method);
      if (!found) {
        found = instruments(method);
        byMethod.set(method, found);
      }
      found[outcome].inc();
      found.seconds.observe(ranSeconds);
    },
    waited: (waitedSeconds) => wait.observe(waitedSeconds),
    refused: () => rejected.inc(),
  };
}
