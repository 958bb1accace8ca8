import { Histogram } from "prom-client";

/** What was observed under one set of labels. */
export class Tally {
  count = 0;
  sum = 0;
  /** How many lie in each bucket, and not in those below it; the last is above all bounds. */
  readonly buckets: Float64Array;
  readonly #bounds: readonly number[];

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.buckets = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] ?? 0)) index++;
    this.buckets[index] = (this.buckets[index] ?? 0) + 1;
    this.count++;
    this.sum += value;
  }
}

/**
 * A histogram of what is observed for each call: the library's own looks up labels, checks them and makes objects with each
 * observation, and takes a tenth of a small call. Series come into being with tally(), and observe() of the class itself is
 * not for use.
 */
export class TallyHistogram<L extends string> extends Histogram<L> {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #tallies: { readonly labels: Partial<Record<L, string>>; readonly tally: Tally }[] = [];

  constructor(config: ConstructorParameters<typeof Histogram<L>>[0]) {
    super(config);
    this.#name = config.name;
    this.#help = config.help;
    this.#bounds = [...(config.buckets ?? [])].sort((one, other) => one - other);
  }

  /** Asked for once for each set of labels. */
  tally(labels: Partial<Record<L, string>>): Tally {
    const tally = new Tally(this.#bounds);
    this.#tallies.push({ labels, tally });
    return tally;
  }

  /** What the library asks a histogram for, whatever it makes of it. */
  getForPromString(): Promise<unknown> {
    const values = this.#tallies.flatMap(({ labels: sharedLabels, tally }) => {
      let below = 0;
      const buckets = [...this.#bounds, "+Inf"].map((le, index) => {
        below += tally.buckets[index] ?? 0;
        return { labels: { le }, sharedLabels, value: below, metricName: `${this.#name}_bucket` };
      });
      const { sum, count } = tally;
      return [
        ...buckets,
        { labels: {}, sharedLabels, value: sum, metricName: `${this.#name}_sum` },
        { labels: {}, sharedLabels, value: count, metricName: `${this.#name}_count` },
      ];
    });
    const [name, help] = [this.#name, this.#help];
    return Promise.resolve({ name, help, type: "histogram", aggregator: "sum", values });
  }
}
