/** An invariant that did not hold. */
export class Violation extends Error {
  readonly invariant: string;

  constructor(invariant: string, text: string) {
    super(`${invariant}: ${text}`);
    this.name = "Violation";
    this.invariant = invariant;
  }
}
