/** How far apart the evidence stands, and in which order: what distant-evidence subsets are chosen by. */
export interface EvidencePlaces {
  /** Numbers of the gold documents in the order of the evidence: "12 38". */
  readonly goldDocuments: string;
  /** Least distance between two gold documents, in documents; absent where there is one. */
  readonly minDistance?: number;
  /** forward: later evidence stands later; reverse: earlier; one alone is neither. */
  readonly evidenceOrder: EvidenceOrder;
}

export const evidenceOrders = ["forward", "reverse", "mixed", "single"] as const;
export type EvidenceOrder = (typeof evidenceOrders)[number];

/** @param goldDocuments counted from 1, in the order of the evidence; each once, at least one */
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

/** The numbers that `goldDocuments` of a task's metadata holds; none where it has none. */
export function goldDocumentsOf(metadata: Readonly<Record<string, unknown>>): readonly number[] {
  const text = metadata["goldDocuments"];
  if (typeof text !== "string" && typeof text !== "number") return [];
  return String(text)
    .split(" ")
    .map(Number)
    .filter((place) => Number.isInteger(place) && place > 0);
}
