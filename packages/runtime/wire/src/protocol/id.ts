import { randomBytes, randomUUID } from "node:crypto";

/** What an id names; ids begin with it. */
export type IdKind =
  | "actor"
  | "caller"
  | "cluster"
  | "group"
  | "head"
  | "job"
  | "node"
  | "request"
  | "run"
  | "session"
  | "trajectory"
  | "worker";

/** Creates an identifier such as "actor-4f1a9c02b7de": the kind is for people, the 48 random bits make it unique. */
export function newId(kind: IdKind): string {
  // The last group of a UUID has 48 random bits, and Node draws the bits of 128 UUIDs at once.
  return `${kind}-${randomUUID().slice(-12)}`;
}

/** Creates a secret of 256 bits in URL-safe text. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}
