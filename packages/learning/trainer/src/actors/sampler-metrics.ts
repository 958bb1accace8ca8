import type { ModelSampler } from "@palimpsest/model";
import type { Metrics } from "@palimpsest/telemetry";

const intervalMs = 1_000;

/** Keeps the Prometheus series of a sampler up to date until it is closed. */
export function exportSampler(metrics: Metrics, sampler: ModelSampler): { close(): void } {
  const tokens = metrics.counter("palimpsest_sampler_tokens_total");
  const queued = metrics.counter("palimpsest_sampler_queue_seconds_total");
  let before = { prefillTokens: 0, sampledTokens: 0, cachedTokens: 0, queueSeconds: 0 };
  const read = () => {
    const { stats } = sampler;
    tokens.inc({ kind: "prompt" }, stats.prefillTokens - before.prefillTokens);
    tokens.inc({ kind: "cached" }, stats.cachedTokens - before.cachedTokens);
    tokens.inc({ kind: "sampled" }, stats.sampledTokens - before.sampledTokens);
    queued.inc(stats.queueSeconds - before.queueSeconds);
    before = stats;
    metrics.gauge("palimpsest_sampler_occupancy").set(stats.occupancy);
    metrics.gauge("palimpsest_sampler_running_requests").set(stats.running);
    metrics.gauge("palimpsest_sampler_waiting_requests").set(stats.queueDepth);
    metrics.gauge("palimpsest_sampler_policy_version").set(sampler.policyVersion);
  };
  read();
  const timer = setInterval(read, intervalMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}
