import type { ActorContext, ActorHandle } from "../../packages/runtime/client/src/index.js";

/** The actor that the bench calls: it returns its argument. */
export class Echo {
  echo(value: string): string {
    return value;
  }
}

/** The same as a task. */
export function echo(value: string): string {
  return value;
}

/** An actor that calls other actors. */
export class Caller {
  #context: ActorContext | undefined;
  readonly #targets = new Map<string, ActorHandle<Echo>>();

  start(context: ActorContext): void {
    this.#context = context;
  }

  /** Calls the targets in turn and waits for all answers. */
  async burst(targetIds: readonly string[], count: number): Promise<void> {
    const targets = await Promise.all(targetIds.map((actorId) => this.#target(actorId)));
    const call = (index: number) => targets[index % targets.length]?.echo("ok");
    await Promise.all(Array.from({ length: count }, (_, index) => call(index)));
  }

  async #target(actorId: string): Promise<ActorHandle<Echo>> {
    const known = this.#targets.get(actorId);
    if (known) return known;
    const cluster = await this.#context?.connect();
    if (cluster === undefined) throw new Error("the actor has not started");
    const target = await cluster.getActor<Echo>({ actorId });
    this.#targets.set(actorId, target);
    return target;
  }
}
