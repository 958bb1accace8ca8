/** Makes the table of a chaos run: for each kind of fault, how long training took to continue. */
export interface FaultRecord {
  readonly kind: string;
  readonly target: string;
  /** Seconds since the first fault. */
  readonly atSeconds: number;
  readonly holdSeconds: number;
  /** Seconds from the injection to the second step after it. */
  readonly afterInjectionSeconds: number;
  /** Seconds from the end of the fault to that step; 0 when the step came before. */
  readonly afterHealSeconds: number;
  readonly wentOn: boolean;
}

interface Row {
  readonly kind: string;
  readonly count: number;
  readonly holdP50: number;
  readonly afterInjectionP50: number;
  readonly afterInjectionP95: number;
  readonly afterHealP50: number;
  readonly afterHealP95: number;
}

/** Returns a percentile by the nearest-rank method. */
function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Number((sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0).toFixed(1));
}

export function reportTable(records: readonly FaultRecord[]): {
  readonly rows: readonly Row[];
  readonly text: string;
} {
  const rows = [...new Set(records.map(({ kind }) => kind))].sort().map((kind): Row => {
    const of = records.filter((record) => record.kind === kind);
    const column = (pick: (record: FaultRecord) => number, share: number) => percentile(of.map(pick), share);
    return {
      kind,
      count: of.length,
      holdP50: column((record) => record.holdSeconds, 0.5),
      afterInjectionP50: column((record) => record.afterInjectionSeconds, 0.5),
      afterInjectionP95: column((record) => record.afterInjectionSeconds, 0.95),
      afterHealP50: column((record) => record.afterHealSeconds, 0.5),
      afterHealP95: column((record) => record.afterHealSeconds, 0.95),
    };
  });
  const head = "| fault | count | duration, p50 | next step after it, p50 / p95 | after its end, p50 / p95 |";
  const lines = rows.map(
    (row) =>
      `| ${row.kind} | ${row.count} | ${row.holdP50} s | ${row.afterInjectionP50} / ${row.afterInjectionP95} s ` +
      `| ${row.afterHealP50} / ${row.afterHealP95} s |`,
  );
  return { rows, text: [head, "|---|---:|---:|---:|---:|", ...lines].join("\n") };
}
