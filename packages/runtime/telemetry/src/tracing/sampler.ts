/** Decides which traces are kept, by OpenTelemetry's variables OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG. */
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";

const prefix = "parentbased_";

/**
 * Creates the sampler. By default every trace is kept unless its caller decided otherwise.
 * @throws {TypeError} for an unknown sampler name or an invalid ratio
 */
export function samplerOf(environment: Readonly<Record<string, string | undefined>>): Sampler {
  const name = environment["OTEL_TRACES_SAMPLER"] || "parentbased_always_on";
  const root = rootOf(name.startsWith(prefix) ? name.slice(prefix.length) : name, name, environment);
  return name.startsWith(prefix) ? new ParentBasedSampler({ root }) : root;
}

function rootOf(
  kind: string,
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): Sampler {
  if (kind === "always_on") return new AlwaysOnSampler();
  if (kind === "always_off") return new AlwaysOffSampler();
  if (kind !== "traceidratio")
    throw new TypeError(
      `OTEL_TRACES_SAMPLER is ${JSON.stringify(name)}: it must be always_on, always_off or traceidratio, or one of them after ${prefix}`,
    );
  const text = environment["OTEL_TRACES_SAMPLER_ARG"] || "1";
  const share = Number(text);
  if (share >= 0 && share <= 1) return new TraceIdRatioBasedSampler(share);
  throw new TypeError(`OTEL_TRACES_SAMPLER_ARG is ${JSON.stringify(text)}: it must be a ratio from 0 to 1`);
}
