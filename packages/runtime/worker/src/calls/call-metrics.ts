import type { Metrics } from "@palimpsest/telemetry";

/** The metrics of an actor's calls. Calls are frequent, so the metrics library is not called for each one. */
export interface CallMetrics {
  /**
   * @param method a method of the class, else unknownMethod, so that arbitrary names from callers do not create
   * series
   */
  ended(method: string, outcome: "ok" | "error" | "cancelled", ranSeconds: number): void;
  waited(seconds: number): void;
  refused(): void;
}

const outcomes = ["ok", "error", "cancelled"] as const;

/** Stands for every method that the class does not have. */
export const unknownMethod = "(unknown)";

export function createCallMetrics(
  metrics: Metrics,
  mailbox: { readonly waiting: number; readonly running: number },
): CallMetrics {
  const calls = metrics.counter("palimpsest_actor_calls_total");
  const seconds = metrics.tallies("palimpsest_actor_call_seconds");
  const wait = metrics.tallies("palimpsest_actor_mailbox_wait_seconds").tally({});
  const rejected = metrics.counter("palimpsest_actor_rejected_calls_total");
  const waiting = metrics.gauge("palimpsest_actor_mailbox_calls");
  const running = metrics.gauge("palimpsest_actor_running_calls");
  // The gauges are read at each scrape.
  Object.assign(waiting, { collect: () => waiting.set(mailbox.waiting) });
  Object.assign(running, { collect: () => running.set(mailbox.running) });

  const byMethod = new Map<string, ReturnType<typeof instruments>>();
  function instruments(method: string) {
    return { ok: 0, error: 0, cancelled: 0, seconds: seconds.tally({ method }) };
  }
  // Calls are counted here, and the counts are passed to the library at each scrape, because it looks labels up at each
  // update.
  Object.assign(calls, {
    collect: () => {
      for (const [method, counts] of byMethod)
        for (const outcome of outcomes) {
          if (counts[outcome] > 0) calls.inc({ method, outcome }, counts[outcome]);
          counts[outcome] = 0;
        }
    },
  });

  return {
    ended(method, outcome, ranSeconds) {
      let found = byMethod.get(method);
      if (!found) {
        found = instruments(method);
        byMethod.set(method, found);
      }
      found[outcome]++;
      found.seconds.observe(ranSeconds);
    },
    waited: (waitedSeconds) => wait.observe(waitedSeconds),
    refused: () => rejected.inc(),
  };
}
