import type { ActorContext } from "@palimpsest/client";

export class Tally {
  #nodeId = "";

  start({ nodeId }: ActorContext): void {
    this.#nodeId = nodeId;
  }

  nodeId(): string {
    return this.#nodeId;
  }
}
