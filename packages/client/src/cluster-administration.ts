import { headService } from "@palimpsest/wire";
import { ClusterState } from "./cluster-state.js";
import type { HeadCallOptions, HeadClient } from "./head-client.js";

/** The cluster's new token, and when those of before end. */
export interface RotatedToken {
  readonly token: string;
  /** Whether the passwords of the head's own Redis were replaced too. */
  readonly redisRotated: boolean;
  readonly acceptedUntilMs: number;
}

/** What is still on a node that is drained. */
export interface DrainProgress {
  /** The node has left. */
  readonly done: boolean;
  /** The deadline has passed: what runs is ended. */
  readonly overdue: boolean;
  readonly movingActors: number;
  /** Actors that cannot restart: they are waited for. */
  readonly waitingActors: number;
  readonly taskWorkers: number;
  /** Of jobs. */
  readonly drivers: number;
  /** Held on this node alone. */
  readonly objects: number;
  readonly objectBytes: number;
  readonly leftMs: number;
}

/** What changes the cluster itself. */
export class ClusterAdministration extends ClusterState {
  readonly #head: HeadClient;

  protected constructor(head: HeadClient) {
    super(head);
    this.#head = head;
  }

  /** Ends the head in order; with all, every node and the head's own Redis too. */
  async shutdown(options: HeadCallOptions & { readonly all?: boolean } = {}): Promise<void> {
    await this.#head.call(headService.shutdown, { all: options.all ?? false }, options);
  }

  /**
   * Empties a node and ends it: actors that can restart do so elsewhere, tasks finish, what it alone holds is moved. Goes
   * on by itself; asked again it tells how far it is.
   * @param options deadlineMs: after which what still runs is ended, counted from the first time; default 10 minutes
   * @throws {PalimpsestError} NOT_FOUND, INVALID_ARGUMENT
   */
  async drain(
    nodeId: string,
    options: HeadCallOptions & { readonly deadlineMs?: number } = {},
  ): Promise<DrainProgress> {
    const { deadlineMs = 0, ...call } = options;
    const answer = await this.#head.call(headService.drainNode, { nodeId, deadlineMs }, call);
    return {
      done: answer.done ?? false,
      overdue: answer.overdue ?? false,
      movingActors: answer.movingActors ?? 0,
      waitingActors: answer.waitingActors ?? 0,
      taskWorkers: answer.taskWorkers ?? 0,
      drivers: answer.drivers ?? 0,
      objects: answer.objects ?? 0,
      objectBytes: answer.objectBytes ?? 0,
      leftMs: answer.leftMs ?? 0,
    };
  }

  /**
   * Removes the state of a durable actor, with its timers and what it knows of calls. @returns whether there was any
   * @throws {PalimpsestError} ALREADY_EXISTS while an actor of that name lives: kill it first
   */
  async removeDurable(
    name: string,
    options: HeadCallOptions & { readonly namespace?: string } = {},
  ): Promise<boolean> {
    const { namespace = "", ...call } = options;
    return (await this.#head.call(headService.removeDurable, { name, namespace }, call)).removed ?? false;
  }

  /**
   * Replaces the cluster's token while everything goes on; for holders of the cluster's own token. Tokens of before are
   * refused after graceMs.
   */
  async rotateToken(
    options: HeadCallOptions & { readonly graceMs: number; readonly stolen?: boolean },
  ): Promise<RotatedToken> {
    const { graceMs, stolen = false, ...call } = options;
    const answer = await this.#head.call(headService.rotateToken, { graceMs, stolen }, call);
    const { token, acceptedUntilMs, redisRotated } = answer;
    return { token: token ?? "", acceptedUntilMs: acceptedUntilMs ?? 0, redisRotated: redisRotated ?? false };
  }
}
