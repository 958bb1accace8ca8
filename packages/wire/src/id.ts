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

/** Creates an identifier such as "actor-4f1a9c02b7de": the kind is for people, the 48 random bits make it unique. */
export function newId(kind: IdKind): string {
  return `${kind}-${randomBytes(6).toString("hex")}`;
}

/** Creates a secret of 256 bits in URL-safe text. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}
