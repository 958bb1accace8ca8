import { formatHolder } from "@palimpsest/wire";

const valueIdDigits = 40;

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
  /** Whether its bytes are on disk only. */
  readonly spilled: boolean;
}

/** Why an object was dropped. "damaged" means that it was spilled, and that the bytes on disk do not match. */
export type DropCause = "evicted" | "freed" | "holder ended" | "damaged";

/** Called at the moment of each change. */
export interface StoreWatcher {
  present(place: StoredPlace): void;
  gone(objectId: string, cause: DropCause): void;
  /** Called when the owner has taken its first lease on this node. */
  newHolder(holder: string): void;
}

export interface DropOrder {
  readonly objectId: string;
  /** The owner whose lease ends; empty for all owners. */
  readonly holder: string;
  /** Leases with a later revision are not ended; undefined ends all of them. */
  readonly revision?: number;
  readonly copiesOnly?: boolean;
}

/** Returns whether the object is a value, whose name is random and does not depend on its bytes. */
export function isValueId(objectId: string): boolean {
  return objectId.length === valueIdDigits;
}

/** Returns the owner of the leases on the objects that this value refers to. */
export function holderOfContained(objectId: string): string {
  return formatHolder({ kind: "object", objectId });
}
