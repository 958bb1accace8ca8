import type { ModelSampler } from "@palimpsest/model";
import type { Metrics } from "@palimpsest/telemetry";

const intervalMs = 1_000;

/** Keeps the Prometheus series of a sampler up to date until it is closed. */
export function exportSampler(metrics: Metrics, sampler: ModelSampler): { close(): void } {
  const tokens = metrics.counter("palimpsest_sampler_tokens_total");
  let prompt = 0;
  let sampled = 0;
  const read = () => {
    const { stats } = sampler;
    tokens.inc({ kind: "prompt" }, stats.prefillTokens - prompt);
    tokens.inc({ kind: "sampled" }, stats.sampledTokens - sampled);
    prompt = stats.prefillTokens;
    sampled = stats.sampledTokens;
    metrics.gauge("palimpsest_sampler_running_requests").set(stats.running);
    metrics.gauge("palimpsest_sampler_waiting_requests").set(stats.queueDepth);
    metrics.gauge("palimpsest_sampler_policy_version").set(sampler.policyVersion);
  };
  read();
  const timer = setInterval(read, intervalMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}
