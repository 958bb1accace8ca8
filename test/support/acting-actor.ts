import type { ActorContext, ActorOptions } from "@palimpsest/client";

export class Acting {
  #context: ActorContext | undefined;
  #release: () => void = () => undefined;
  readonly #deaths: [actorId: string, reason: string][] = [];

  start(context: ActorContext): void {
    this.#context = context;
  }

  where(): { readonly nodeId: string; readonly pid: number; readonly incarnation: number } {
    const { nodeId, incarnation } = this.context;
    return { nodeId, incarnation, pid: process.pid };
  }

  /** Ends when release() is called. */
  async held(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#release = resolve;
    });
    return "released";
  }

  release(): void {
    this.#release();
  }

  async leave(reason: string): Promise<void> {
    await this.context.exit(reason);
  }

  /** Spawns one of its kind, with a placement group of its own. @returns their ids */
  async family(
    detached: boolean,
    labels: NonNullable<ActorOptions["labels"]> = {},
  ): Promise<{ readonly childId: string; readonly groupId: string }> {
    const cluster = await this.context.connect();
    const kind = cluster.actor(Acting, { from: import.meta.url }, { detached, labels });
    const child = await kind.spawn();
    await child.ready();
    const group = await cluster.placementGroup({ bundles: [{ cpu: 0.1 }] });
    return { childId: child.actorId, groupId: group.groupId };
  }

  /** Notes the death of an actor that another one owns. */
  async watch(actorId: string): Promise<void> {
    const handle = await (await this.context.connect()).getActor<Acting>({ actorId });
    handle.onDeath((info) => this.#deaths.push([info.actorId, info.certificate?.reason ?? ""]));
  }

  /** Ids of those that died, and why. */
  heard(): readonly (readonly [actorId: string, reason: string])[] {
    return this.#deaths;
  }

  /** Spawns one of its kind under a name. @returns its own namespace */
  async nameChild(name: string): Promise<string> {
    const cluster = await this.context.connect();
    await cluster.actor(Acting, { from: import.meta.url }, { name }).spawn();
    return this.context.namespace;
  }

  private get context(): ActorContext {
    if (this.#context === undefined) throw new Error("it has not started");
    return this.#context;
  }
}
