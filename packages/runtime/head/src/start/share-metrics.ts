import type { Ledger, PlacementIndex } from "@palimpsest/scheduler";
import type { Metrics } from "@palimpsest/telemetry";
import type { ObjectQuotas } from "../rules/object-quotas.js";

/** Fairness keys with a series of their own: jobs with a weight have one each, and each series costs memory. */
const maxKeys = 50;
const others = "others";

interface ShareRow {
  readonly fairnessKey: string;
  readonly leased: number;
  readonly weight: number;
  readonly waiting: number;
}

/** Returns the label of a fairness key; requests without one share the empty key. */
function fairnessLabel(fairnessKey: string): string {
  return fairnessKey === "" ? "none" : fairnessKey;
}

/** Sets the gauges of what each fairness key leases, what its weight is worth, and how much of it waits. */
export function measureShares(
  metrics: Metrics,
  { shares }: Pick<Ledger, "shares">,
  index: Pick<PlacementIndex, "waitingByKey">,
): void {
  const waitingByKey = index.waitingByKey();
  const rows = [...new Set([...shares.keys(), ...waitingByKey.keys()])]
    .map(
      (fairnessKey): ShareRow => ({
        fairnessKey: fairnessLabel(fairnessKey),
        ...shares.of(fairnessKey),
        waiting: waitingByKey.get(fairnessKey) ?? 0,
      }),
    )
    .filter(({ leased, waiting }) => leased > 0 || waiting > 0)
    .sort((a, b) => b.leased - a.leased || b.waiting - a.waiting);
  const weights = rows.reduce((sum, { weight }) => sum + weight, 0);
  const rest = rows.slice(maxKeys);
  const sumOf = (field: "leased" | "weight" | "waiting") => rest.reduce((sum, row) => sum + row[field], 0);
  const shown = rows.slice(0, maxKeys);
  if (rest.length > 0)
    shown.push({
      fairnessKey: others,
      leased: sumOf("leased"),
      weight: sumOf("weight"),
      waiting: sumOf("waiting"),
    });
  // The gauges are reset, so that keys of which nothing is left disappear from the page.
  const leasedParts = metrics.gauge("palimpsest_head_share_leased_ratio");
  const fairParts = metrics.gauge("palimpsest_head_share_fair_ratio");
  const waits = metrics.gauge("palimpsest_head_share_waiting");
  for (const gauge of [leasedParts, fairParts, waits]) gauge.reset();
  for (const { fairnessKey, leased, weight, waiting } of shown) {
    leasedParts.set({ fairness_key: fairnessKey }, leased);
    fairParts.set({ fairness_key: fairnessKey }, weight / weights);
    waits.set({ fairness_key: fairnessKey }, waiting);
  }
}

/** Sets the gauges of what the quotas of objects allow, and what of it is stored and granted to nodes. */
export function measureObjectQuotas(metrics: Metrics, quotas: Pick<ObjectQuotas, "uses">): void {
  const bytes = metrics.gauge("palimpsest_head_object_quota_bytes");
  const waiting = metrics.gauge("palimpsest_head_object_quota_waiting");
  for (const gauge of [bytes, waiting]) gauge.reset();
  for (const { name, maxBytes, usedBytes, grantedBytes, waitingNodes } of quotas.uses().slice(0, maxKeys)) {
    bytes.set({ quota: name, kind: "allowed" }, maxBytes);
    bytes.set({ quota: name, kind: "used" }, usedBytes);
    bytes.set({ quota: name, kind: "granted" }, grantedBytes);
    waiting.set({ quota: name }, waitingNodes);
  }
}

/** Counts preemptions by fairness key, of which the first ones have a label of their own. */
export class PreemptionCounts {
  readonly #metrics: Metrics;
  readonly #known = new Set<string>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
    for (const cause of ["priority", "share"]) this.#count("", cause, 0);
  }

  add(fairnessKey: string, cause: "priority" | "share"): void {
    this.#count(fairnessKey, cause, 1);
  }

  #count(fairnessKey: string, cause: string, by: number): void {
    if (this.#known.size < maxKeys) this.#known.add(fairnessKey);
    const label = this.#known.has(fairnessKey) ? fairnessLabel(fairnessKey) : others;
    this.#metrics.counter("palimpsest_head_preemptions_total").inc({ fairness_key: label, cause }, by);
  }
}
