import { randomBytes } from "node:crypto";

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

/** A new identifier such as "actor-4f1a9c02b7de": the kind for people, 48 random bits for uniqueness. */
export function newId(kind: IdKind): string {
  return `${kind}-${randomBytes(6).toString("hex")}`;
}

/** A secret of 256 bits in URL-safe text. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}
