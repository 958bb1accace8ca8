import { randomUUID } from "node:crypto";

/**
 * The identity of a run's consumer. The number rises with each take-over. The token distinguishes two learners that
 * took the same number because Redis lost its last second between them.
 */
export interface Epoch {
  readonly number: number;
  readonly token: string;
}

/** Returns the text in which an epoch is stored and compared. */
export function epochText({ number, token }: Epoch): string {
  return `${number}:${token}`;
}

export function newToken(): string {
  return randomUUID();
}
