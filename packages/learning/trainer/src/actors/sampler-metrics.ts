import type { ModelSampler } from "@palimpsest/model";
import type { Metrics } from "@palimpsest/telemetry";

/** Keeps the Prometheus series of a sampler up to date until it is closed. */
export function exportSampler(metrics: Metrics, sampler: ModelSampler): { close(): void } {
  const tokens = metrics.counter("palimpsest_sampler_tokens_total");
  const queued = metrics.counter("palimpsest_sampler_queue_seconds_total");
  const phases = metrics.counter("palimpsest_sampler_phase_seconds_total");
  let before = {
    ...{ prefillTokens: 0, sampledTokens: 0, cachedTokens: 0 },
    ...{ queueSeconds: 0, prefillSeconds: 0, secondsBusy: 0 },
  };
  const read = () => {
    const { stats } = sampler;
    tokens.inc({ kind: "prompt" }, stats.prefillTokens - before.prefillTokens);
    tokens.inc({ kind: "cached" }, stats.cachedTokens - before.cachedTokens);
    tokens.inc({ kind: "sampled" }, stats.sampledTokens - before.sampledTokens);
    queued.inc(stats.queueSeconds - before.queueSeconds);
    const prefill = stats.prefillSeconds - before.prefillSeconds;
    phases.inc({ phase: "prefill" }, prefill);
    // The difference of two sums may be less than zero by rounding.
    phases.inc({ phase: "decode" }, Math.max(0, stats.secondsBusy - before.secondsBusy - prefill));
    before = stats;
    metrics.gauge("palimpsest_sampler_occupancy").set(stats.occupancy);
    metrics.gauge("palimpsest_sampler_running_requests").set(stats.running);
    metrics.gauge("palimpsest_sampler_waiting_requests").set(stats.queueDepth);
    metrics.gauge("palimpsest_sampler_policy_version").set(sampler.policyVersion);
  };
  read();
  return { close: metrics.beforeReading(read) };
}
