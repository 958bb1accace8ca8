import { randomUUID } from "node:crypto";

/** What a learner holds while it is the run's consumer. The number rises with each take-over; the token tells two learners
 *  apart that took the same number, because Redis lost its last second between them. */
export interface Epoch {
  readonly number: number;
  readonly token: string;
}

/** As it is stored and compared. */
export function epochText({ number, token }: Epoch): string {
  return `${number}:${token}`;
}

export function newToken(): string {
  return randomUUID();
}
