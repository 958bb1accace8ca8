import { actorModule, taskModule } from "@palimpsest/client";

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

export const counters = actorModule(Counter, import.meta.url);
export const squares = taskModule(square, import.meta.url);
