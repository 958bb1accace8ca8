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

  /** Returns when release() is called. */
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

  /**
   * Spawns another actor of this class and creates a placement group.
   * @returns the ids of both
   */
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

  /** Records the death of an actor that another one owns. */
  async watch(actorId: string): Promise<void> {
    const handle = await (await this.context.connect()).getActor<Acting>({ actorId });
    handle.onDeath((info) => this.#deaths.push([info.actorId, info.certificate?.reason ?? ""]));
  }

  /** Returns the ids of the actors that died, with the reasons. */
  heard(): readonly (readonly [actorId: string, reason: string])[] {
    return this.#deaths;
  }

  /**
   * Spawns a named actor of this class.
   * @returns its own namespace
   */
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
