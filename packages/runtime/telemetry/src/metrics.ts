import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { definitionOf, type LabelsOf, type MetricName, type MetricNameOf } from "./catalog.js";
import { TallyHistogram } from "./tally-histogram.js";

/** Whose metrics a registry has, and which labels all of them carry. */
export interface MetricsOptions {
  /** What kind of process this is: "head", "node", "rollout", … It becomes the label `component`. */
  readonly component: string;
  /** Constant labels of the process, such as `node_id` and `run_id`. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Whether to export CPU, memory, event loop and garbage collection of the process. Default true. */
  readonly processMetrics?: boolean;
}

/** The metrics of one process. Asking twice for a name returns the same instrument. */
export interface Metrics {
  readonly registry: Registry;
  counter<N extends MetricNameOf<"counter">>(name: N): Counter<LabelsOf<N>>;
  gauge<N extends MetricNameOf<"gauge">>(name: N): Gauge<LabelsOf<N>>;
  histogram<N extends MetricNameOf<"histogram">>(name: N): Histogram<LabelsOf<N>>;
  /** Creates a histogram that is observed with each call. A name is used for either kind, not for both. */
  tallies<N extends MetricNameOf<"histogram">>(name: N): TallyHistogram<LabelsOf<N>>;
  /** Calls back each time before the metrics are read, so that what is counted elsewhere is up to date. The returned function ends that. */
  beforeReading(update: () => void): () => void;
}

class ReadRegistry extends Registry {
  readonly updates = new Set<() => void>();

  override async metrics(): Promise<string> {
    for (const update of this.updates) update();
    return await super.metrics();
  }
}

/** Creates a registry of its own. Nothing is global, so one process can have several. */
export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new ReadRegistry();
  registry.setDefaultLabels({ component: options.component, ...options.labels });
  if (options.processMetrics ?? true) {
    collectDefaultMetrics({ register: registry });
  }
  const instruments = new Map<MetricName, unknown>();

  function instrument<T>(name: MetricName, create: (config: InstrumentConfig) => T): T {
    const existing = instruments.get(name);
    if (existing !== undefined) {
      return existing as T;
    }
    const { help, labels } = definitionOf(name);
    const created = create({ name, help, labelNames: [...labels], registers: [registry] });
    instruments.set(name, created);
    return created;
  }

  return {
    registry,
    beforeReading: (update) => {
      registry.updates.add(update);
      return () => registry.updates.delete(update);
    },
    counter: <N extends MetricNameOf<"counter">>(name: N) =>
      instrument(name, (config) => new Counter<LabelsOf<N>>(config as InstrumentConfig<LabelsOf<N>>)),
    gauge: <N extends MetricNameOf<"gauge">>(name: N) =>
      instrument(name, (config) => new Gauge<LabelsOf<N>>(config as InstrumentConfig<LabelsOf<N>>)),
    histogram: <N extends MetricNameOf<"histogram">>(name: N) =>
      instrument(
        name,
        (config) =>
          new Histogram<LabelsOf<N>>({
            ...(config as InstrumentConfig<LabelsOf<N>>),
            buckets: [...(definitionOf(name).buckets ?? [])],
          }),
      ),
    tallies: <N extends MetricNameOf<"histogram">>(name: N) =>
      instrument(
        name,
        (config) =>
          new TallyHistogram<LabelsOf<N>>({
            ...(config as InstrumentConfig<LabelsOf<N>>),
            buckets: [...(definitionOf(name).buckets ?? [])],
          }),
      ),
  };
}

interface InstrumentConfig<L extends string = string> {
  name: string;
  help: string;
  labelNames: L[];
  registers: Registry[];
}
