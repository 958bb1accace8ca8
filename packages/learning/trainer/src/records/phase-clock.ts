import type { Metrics } from "@palimpsest/telemetry";

type LearnerPhase = "rollout" | "update" | "publish" | "checkpoint" | "other";

/** What a learner's time goes to. The phase that goes on counts up to now, so that a few seconds of a long step are seen, too. */
export class PhaseClock {
  readonly #seconds = new Map<string, number>();
  #phase: LearnerPhase = "other";
  #since = performance.now();

  enter(phase: LearnerPhase): void {
    const now = performance.now();
    this.#seconds.set(this.#phase, (this.#seconds.get(this.#phase) ?? 0) + (now - this.#since) / 1000);
    this.#phase = phase;
    this.#since = now;
  }

  /**
   * Keeps the Prometheus series up to date.
   * @param exchanged returns the seconds, within updates, in which the learner has waited for others
   */
  export(metrics: Metrics, exchanged: () => number): void {
    const counter = metrics.counter("palimpsest_learner_phase_seconds_total");
    const counted = new Map<string, number>();
    const count = (phase: string, seconds: number) => {
      const more = Math.max(0, seconds - (counted.get(phase) ?? 0));
      counter.inc({ phase }, more);
      counted.set(phase, (counted.get(phase) ?? 0) + more);
    };
    metrics.beforeReading(() => {
      this.enter(this.#phase);
      const waited = exchanged();
      for (const [phase, seconds] of this.#seconds)
        count(phase, phase === "update" ? seconds - waited : seconds);
      if (waited > 0) count("exchange", waited);
    });
  }
}
