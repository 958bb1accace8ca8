import type { ActorContext } from "@palimpsest/client";

/** One of many actors in a grid. */
export class MeshMember {
  readonly #rank: number;
  #nodeId = "";
  #calls = 0;

  constructor(rank: number) {
    this.#rank = rank;
  }

  start({ nodeId }: ActorContext): void {
    this.#nodeId = nodeId;
  }

  where(): { readonly rank: number; readonly nodeId: string; readonly pid: number } {
    return { rank: this.#rank, nodeId: this.#nodeId, pid: process.pid };
  }

  add(amount: number): number {
    this.#calls += 1;
    return this.#rank + amount;
  }

  sum(numbers: Float64Array): number {
    return numbers.reduce((total, one) => total + one, this.#rank);
  }

  calls(): number {
    return this.#calls;
  }

  /** The member of that rank ends its process; the others return. */
  fall(rank: number): number {
    if (rank === this.#rank) process.kill(process.pid, "SIGKILL");
    return this.#rank;
  }

  hang(rank: number): number | Promise<never> {
    return rank === this.#rank ? new Promise<never>(() => undefined) : this.#rank;
  }
}
