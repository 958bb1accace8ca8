/**
 * Responsibility: checks what heads guarantee each other: which head may write, which epochs exist, and which head
 * leads when. Not responsible for: the rows themselves (records.ts), how nodes use epochs.
 */
import type { WriteGuard } from "../../../packages/runtime/head/src/store/shared-store.js";
import type { StoreWrite } from "../../../packages/runtime/head/src/store/store.js";
import type { SimHead } from "../world/head.js";
import type { SimProcess } from "../world/process.js";
import { redisMachine } from "../world/redis-link.js";
import type { RedisObserver } from "../world/store.js";
import type { World } from "../world/world.js";

const checkEveryMs = 1_000;
/** The bound that the issue asks for, with the product's own lease of 5 s. */
const takeoverMs = 10_000;
/** A deposed head ends within the grace period of its server. */
const endMs = 15_000;

export class LeadershipWatch implements RedisObserver {
  readonly #world: World;
  #holder: { readonly process: SimProcess; readonly epoch: number; readonly losses: number } | undefined;
  readonly #epochOf = new Map<SimProcess, number>();
  /** The time since which each head could have led without interruption. */
  readonly #ableSince = new Map<SimProcess, number>();
  readonly #withoutLeadSince = new Map<SimProcess, number>();
  #servedAtMs = 0;

  constructor(world: World) {
    this.#world = world;
    world.redis.observers.add(this);
    // A head of an earlier version cannot lead where a later one did.
    if (world.settings.heads > 1 && !world.settings.versions) this.#checkRegularly();
  }

  held(process: SimProcess, epoch: number): void {
    const before = this.#epochOf.get(process) ?? 0;
    if (epoch < before) this.#violation("LEASE-2", `${process.name} fell from epoch ${before} to ${epoch}`);
    this.#epochOf.set(process, epoch);
    const { losses, lostAtMs } = this.#world.redis;
    const holder = this.#holder;
    if (holder?.process === process && holder.epoch === epoch) return;
    if (holder?.losses === losses && holder.process !== process && epoch <= holder.epoch) {
      this.#violation(
        "LEASE-2",
        `${process.name} leads with ${epoch} after ${holder.process.name} with ${holder.epoch}`,
      );
    }
    this.#holder = { process, epoch, losses };
    const { leaseMs } = this.#world.settings.head;
    if (this.#world.scheduler.nowMs - lostAtMs < 3 * leaseMs) return;
    for (const other of this.#world.heads) {
      if (other.process === process || other.process.ended || !other.leadership?.isCurrent()) continue;
      this.#violation(
        "LEASE-3",
        `${process.name} took the lease that ${other.process.name} takes for its own`,
      );
    }
  }

  accepted(process: SimProcess, { epoch }: WriteGuard, writes: readonly StoreWrite[]): void {
    const holder = this.#holder;
    if (holder === undefined || holder.losses !== this.#world.redis.losses || writes.length === 0) return;
    if (holder.process === process) return;
    const row = `${writes[0]?.table}/${writes[0]?.key}`;
    this.#violation(
      "LEASE-1",
      `${process.name} of epoch ${epoch} wrote ${row}, and ${holder.process.name} leads with epoch ${holder.epoch}`,
    );
  }

  #checkRegularly(): void {
    this.#world.scheduler.after(checkEveryMs, undefined, () => {
      for (const head of this.#world.heads) this.#checkHead(head);
      this.#checkTakeover();
      this.#checkRegularly();
    });
  }

  /** HEAD-4: a head that no longer leads ends. */
  #checkHead(head: SimHead): void {
    const { nowMs } = this.#world.scheduler;
    const deposed =
      head.plane !== undefined &&
      this.#isAble(head) &&
      this.#holder !== undefined &&
      this.#holder.process !== head.process;
    if (!deposed) this.#withoutLeadSince.delete(head.process);
    else if (!this.#withoutLeadSince.has(head.process)) this.#withoutLeadSince.set(head.process, nowMs);
    else if (nowMs - (this.#withoutLeadSince.get(head.process) ?? 0) > endMs)
      this.#violation("HEAD-4", `${head.process.name} leads no more since ${endMs} ms and goes on`);
    if (!this.#isAble(head)) this.#ableSince.delete(head.process);
    else if (!this.#ableSince.has(head.process)) this.#ableSince.set(head.process, nowMs);
  }

  /** A head that could have led the whole time leads, or another head does. */
  #checkTakeover(): void {
    const { scheduler, redis, heads } = this.#world;
    const { nowMs } = scheduler;
    if (heads.some((head) => head.plane !== undefined && head.lost === undefined && this.#isAble(head)))
      this.#servedAtMs = nowMs;
    if (nowMs - Math.max(this.#servedAtMs, redis.lostAtMs) <= takeoverMs) return;
    for (const head of heads) {
      const since = this.#ableSince.get(head.process);
      if (since !== undefined && nowMs - since > takeoverMs)
        this.#violation("TAKEOVER", `no head led for ${takeoverMs} ms, and ${head.process.name} could have`);
    }
  }

  #isAble({ process }: SimHead): boolean {
    const { redis, network } = this.#world;
    return (
      !process.ended && !process.paused && !redis.away && !network.partitioned(process.machine, redisMachine)
    );
  }

  #violation(invariant: string, text: string): void {
    this.#world.records.violation(invariant, text);
  }
}
