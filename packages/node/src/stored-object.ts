const valueIdDigits = 40;
const objectHolderPrefix = "object:";

export interface StoredObject {
  readonly objectId: string;
  readonly sizeBytes: number;
  readonly path: string;
}

/** An object as the head's directory knows it. */
export interface StoredPlace {
  readonly objectId: string;
  readonly sizeBytes: number;
  readonly held: boolean;
  readonly revision: number;
  /** Its bytes lie on disk only. */
  readonly spilled: boolean;
}

/** "damaged": it was spilled, and what lies on disk is not it. */
export type DropCause = "evicted" | "freed" | "holder ended" | "damaged";

/** Told of each change in the moment it is made. */
export interface StoreWatcher {
  present(place: StoredPlace): void;
  gone(objectId: string, cause: DropCause): void;
  /** It holds its first object of this node. */
  newHolder(holder: string): void;
}

export interface DropOrder {
  readonly objectId: string;
  /** Whose hold ends; empty: everybody's. */
  readonly holder: string;
  /** Later holds are not meant; undefined: all are. */
  readonly revision?: number;
  readonly copiesOnly?: boolean;
}

/** Whether the object stands for a value: its name is random, and says nothing of its bytes. */
export function isValueId(objectId: string): boolean {
  return objectId.length === valueIdDigits;
}

/** Who holds the objects that the value of this one refers to. */
export function holderOfContained(objectId: string): string {
  return `${objectHolderPrefix}${objectId}`;
}
