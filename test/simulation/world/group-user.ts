import { PalimpsestError } from "@palimpsest/wire";
import type { PlacementGroup } from "../../../packages/runtime/client/src/base/placement-group.js";
import type { Cluster } from "../../../packages/runtime/client/src/cluster/cluster.js";
import { Random } from "./random.js";
import type { World } from "./world.js";

/** Errors that faults explain. */
const expected = ["UNAVAILABLE", "GET_TIMEOUT", "CANCELLED", "OWNER_DIED", "ALREADY_EXISTS"];
const strategies = ["PACK", "SPREAD", "STRICT_PACK", "STRICT_SPREAD"] as const;
const maxHeld = 3;

/** Creates placement groups with the product's client, waits for them, and removes some. */
export class GroupUser {
  readonly #world: World;
  readonly #name: string;
  readonly #random: Random;
  readonly #held = new Map<string, PlacementGroup>();

  constructor(world: World, name: string) {
    this.#world = world;
    this.#name = name;
    this.#random = new Random(`${world.seed}/${name}/groups`);
  }

  /** Returns whether this operation is one on placement groups. */
  wants(): boolean {
    return this.#random.chance(0.08);
  }

  /** Returns where the actor that is spawned now is placed, which is mostly outside of groups. */
  placement(): { readonly group: { readonly groupId: string }; readonly bundle?: number } | undefined {
    const group = this.#random.pick([...this.#held.values()]);
    if (group === undefined || !this.#random.chance(0.4)) return undefined;
    const { groupId } = group;
    // Every group has a first bundle.
    return this.#random.chance(0.3) ? { group: { groupId }, bundle: 0 } : { group: { groupId } };
  }

  async operate(cluster: Cluster): Promise<void> {
    const group = this.#random.pick([...this.#held.values()]);
    try {
      if (group !== undefined && (this.#held.size >= maxHeld || this.#random.chance(0.4)))
        await this.#remove(group);
      else await this.#create(cluster);
    } catch (reason) {
      const error = PalimpsestError.from(reason);
      // An acknowledged group may be lost with the head that remembered it.
      const lost = error.code === "NOT_FOUND" && this.#world.losses.forGood > 0;
      if (lost || expected.includes(error.code)) return;
      this.#world.records.violation("ERRORS", `${this.#name} got ${error.message}, which no fault explains`);
    }
  }

  async #create(cluster: Cluster): Promise<void> {
    const random = this.#random;
    const strategy = random.pick([...strategies]) ?? "PACK";
    const bundles = Array.from({ length: 1 + random.below(3) }, () => ({ cpu: 1 + random.below(2) }));
    const lifetime = random.chance(0.15) ? "detached" : "owner";
    const name = random.chance(0.2) ? `group-${random.below(3)}` : "";
    const { losses } = this.#world.redis;
    const side = this.#world.settings.shares && random.chance(0.4) ? { namespace: "side" } : {};
    const options = { strategy, bundles, lifetime, name, ...side } as const;
    const group = await cluster.placementGroup(options);
    const { groupId } = group;
    this.#held.set(groupId, group);
    this.#world.story.tell(this.#name, () => `created ${groupId} ${JSON.stringify(options)}`);
    this.#world.groups.acknowledged(groupId, { ...options, sessionId: cluster.sessionId }, losses);
    void this.#ready(group);
  }

  async #ready(group: PlacementGroup): Promise<void> {
    const { losses } = this.#world.redis;
    try {
      await group.ready({ timeoutMs: this.#random.between(1_000, 600_000) });
      this.#world.groups.created(group.groupId, losses);
    } catch (reason) {
      const { code, message } = PalimpsestError.from(reason);
      if (code === "UNSCHEDULABLE" || code === "NOT_FOUND" || expected.includes(code)) return;
      this.#world.records.violation("ERRORS", `${this.#name} got ${message}, which no fault explains`);
    }
  }

  async #remove(group: PlacementGroup): Promise<void> {
    const { groupId } = group;
    this.#held.delete(groupId);
    this.#world.story.tell(this.#name, () => `removes ${groupId}`);
    const { losses } = this.#world.redis;
    try {
      await group.remove();
      this.#world.groups.removed(groupId, losses);
    } catch (reason) {
      // A head may have removed the group with its owner, and another head does not remember that.
      if (PalimpsestError.from(reason).code !== "NOT_FOUND") throw reason;
      this.#world.groups.gone(groupId);
    }
  }
}
