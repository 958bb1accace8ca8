import { type ActorContext, actorModule } from "@palimpsest/client";

export class Service {
  #nodeId = "";

  start({ nodeId }: ActorContext): void {
    this.#nodeId = nodeId;
  }

  node(): string {
    return this.#nodeId;
  }
}

export const services = actorModule(Service, import.meta.url);
