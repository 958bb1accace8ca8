/**
 * Responsibility: one light actor as the supervisor sees it: like a process of its own.
 * Not responsible for: the process that it shares (shared-process.ts).
 */
import { systemClock } from "@palimpsest/std";
import type { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ActorEnd } from "./actor-process.js";
import type { StackReader } from "./process-stack.js";
import type { SupervisedActor } from "./supervised-actor.js";

export interface SharedSlotDeps {
  readonly slot: number;
  readonly spec: proto.ActorSpec.$Properties;
  readonly incarnation: number;
  readonly pid: number;
  readonly startTimeoutMs: number;
  readonly order: (orders: proto.SharedOrders.$Properties) => void;
  /** Ends the process, on account of this actor. */
  readonly endProcess: (reason: string) => void;
  readonly stack: StackReader;
}

/** The end of the actor as the process reports it, or the end of the process itself. */
export interface SlotEnd {
  readonly certificate: proto.DeathCertificate.$Properties;
  readonly failed?: PalimpsestError | undefined;
}

export class SharedSlot implements SupervisedActor {
  readonly pid: number;
  readonly ready: Promise<proto.ActorProcessReady.$Properties | undefined>;
  readonly ended: Promise<ActorEnd>;
  readonly #deps: SharedSlotDeps;
  #settleReady: (ready: proto.ActorProcessReady.$Properties | undefined) => void = () => undefined;
  #settleEnd: (end: ActorEnd) => void = () => undefined;
  #stopReason: string | undefined;
  #overdueAtMs = Number.POSITIVE_INFINITY;
  readonly #cancelTimer: () => void;

  constructor(deps: SharedSlotDeps) {
    this.#deps = deps;
    this.pid = deps.pid;
    this.ready = new Promise((resolve) => {
      this.#settleReady = resolve;
    });
    this.ended = new Promise((resolve) => {
      this.#settleEnd = resolve;
    });
    this.#cancelTimer = systemClock.after(
      deps.startTimeoutMs,
      () => void this.stop(0, `it was not ready within ${deps.startTimeoutMs} ms`),
    );
  }

  get actorId(): string {
    return this.#deps.spec.actorId ?? "";
  }

  get stopping(): boolean {
    return this.#stopReason !== undefined;
  }

  get stopReason(): string | undefined {
    return this.#stopReason;
  }

  /** When the process should have ended it; infinity if it was not stopped. */
  get overdueAtMs(): number {
    return this.#overdueAtMs;
  }

  get order(): proto.SharedActor.$Properties {
    const { slot, spec, incarnation } = this.#deps;
    return { slot, spec, incarnation };
  }

  async stop(graceMs: number, reason: string): Promise<void> {
    this.#stopReason ??= reason;
    this.#overdueAtMs = Math.min(this.#overdueAtMs, performance.now() + graceMs);
    this.#deps.order({ stop: [{ slot: this.#deps.slot, graceMs }] });
    await this.ended;
  }

  /** Ends the whole process, which cannot be trusted to end the actor, because no second one may run anywhere. */
  fence(reason: string): void {
    this.#stopReason ??= reason;
    this.#deps.endProcess(reason);
  }

  /** Does nothing, because the process gets new credentials once, for all its actors. */
  adopt(): void {}

  get stack(): StackReader {
    return this.#deps.stack;
  }

  becameReady(ready: proto.ActorProcessReady.$Properties): void {
    this.#cancelTimer();
    this.#settleReady(ready);
  }

  end({ certificate, failed }: SlotEnd): void {
    this.#cancelTimer();
    this.#settleReady(undefined);
    this.#settleEnd({ certificate, constructorError: failed });
  }
}
