/**
 * The owner of leases on objects, as messages and stored rows name it. An id may contain dots and colons itself, so a
 * text is read here alone.
 */

import type { Addressee } from "../protocol/addressee.js";
import { isObjectId } from "./content-hash.js";

export type Holder =
  /** A session, an actor or a job, named by its id alone: only the head's tables know which of them it is. */
  | { readonly kind: "program"; readonly id: string }
  /** One process of an actor: "ACTOR.NUMBER". */
  | ({ readonly kind: "incarnation" } & Addressee)
  /** An object whose value refers to other objects: "object:ID". */
  | { readonly kind: "object"; readonly objectId: string };

const objectPrefix = "object:";
const incarnationPattern = /^(.+)\.([1-9]\d*)$/;

/**
 * Reads the name of an owner. A program whose id ends with a dot and a number, such as the job "train.2", is read as
 * an incarnation: whoever knows no actor of that id takes the whole text as the id of a program.
 */
export function parseHolder(text: string): Holder {
  if (text.startsWith(objectPrefix)) {
    const objectId = text.slice(objectPrefix.length);
    if (isObjectId(objectId)) return { kind: "object", objectId };
  }
  const [, actorId, incarnation] = incarnationPattern.exec(text) ?? [];
  if (actorId === undefined) return { kind: "program", id: text };
  return { kind: "incarnation", actorId, incarnation: Number(incarnation) };
}

export function formatHolder(holder: Holder): string {
  if (holder.kind === "program") return holder.id;
  return holder.kind === "object" ? `${objectPrefix}${holder.objectId}` : incarnationName(holder);
}

/** Returns the name of one process of an actor, as owners of objects and callers are named. */
export function incarnationName({ actorId, incarnation }: Addressee): string {
  return `${actorId}.${incarnation}`;
}
