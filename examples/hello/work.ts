export class Counter {
  #total = 0;

  add(amount: number): number {
    this.#total += amount;
    return this.#total;
  }
}

export function square(value: number): number {
  return value * value;
}
