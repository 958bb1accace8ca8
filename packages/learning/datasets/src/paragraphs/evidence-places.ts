/** How far apart the evidence is and in which order, by which distant-evidence subsets are selected. */
export interface EvidencePlaces {
  /** Numbers of the gold documents in the order of the evidence, such as "12 38". */
  readonly goldDocuments: string;
  /** Smallest distance between two gold documents, in documents; absent if there is only one. */
  readonly minDistance?: number;
  /**
   * With "forward" the gold documents are in the order of the evidence, with "reverse" in the opposite order and with
   * "mixed" in neither; "single" means that there is only one.
   */
  readonly evidenceOrder: EvidenceOrder;
}

export const evidenceOrders = ["forward", "reverse", "mixed", "single"] as const;
type EvidenceOrder = (typeof evidenceOrders)[number];

/** @param goldDocuments numbers counted from 1, in the order of the evidence; distinct, and at least one */
export function evidencePlaces(goldDocuments: readonly number[]): EvidencePlaces {
  const sorted = [...goldDocuments].sort((a, b) => a - b);
  const gaps = sorted.slice(1).map((place, at) => place - (sorted[at] as number));
  return {
    goldDocuments: goldDocuments.join(" "),
    ...(gaps.length > 0 ? { minDistance: Math.min(...gaps) } : {}),
    evidenceOrder: orderOf(goldDocuments),
  };
}

function orderOf(places: readonly number[]): EvidenceOrder {
  if (places.length < 2) return "single";
  const rises = places.slice(1).map((place, at) => place > (places[at] as number));
  if (rises.every(Boolean)) return "forward";
  return rises.some(Boolean) ? "mixed" : "reverse";
}

/** Returns the numbers in `goldDocuments` of a task's metadata, or none if it has none. */
export function goldDocumentsOf(metadata: Readonly<Record<string, unknown>>): readonly number[] {
  const text = metadata["goldDocuments"];
  if (typeof text !== "string" && typeof text !== "number") return [];
  return String(text)
    .split(" ")
    .map(Number)
    .filter((place) => Number.isInteger(place) && place > 0);
}
