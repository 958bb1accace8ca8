import { fieldsOf, headService } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { ClusterState } from "../base/cluster-state.js";
import { checkFields, checkValue, rules, waitRules } from "../base/fields.js";
import type { HeadCallOptions, HeadClient } from "../base/head-client.js";

/** The cluster's new token, and when the earlier ones expire. */
export interface RotatedToken {
  readonly token: string;
  /** Whether the passwords of the head's own Redis were replaced too. */
  readonly redisRotated: boolean;
  readonly acceptedUntilMs: number;
}

/** The work that is left on a node that is being drained. */
export interface DrainProgress {
  /** True when the node has left. */
  readonly done: boolean;
  /** True when the deadline has passed, so that whatever still runs is ended. */
  readonly overdue: boolean;
  readonly movingActors: number;
  /** The number of actors that cannot restart; the drain waits for them. */
  readonly waitingActors: number;
  readonly taskWorkers: number;
  /** The number of drivers of jobs. */
  readonly drivers: number;
  /** Objects that only this node holds. */
  readonly objects: number;
  readonly objectBytes: number;
  readonly leftMs: number;
}

/** Operations that change the cluster itself. */
export class ClusterAdministration extends ClusterState {
  readonly #head: HeadClient;

  protected constructor(head: HeadClient) {
    super(head);
    this.#head = head;
  }

  /**
   * Shuts down the head in an orderly way; with all, every node and the head's own Redis too. With restart its process
   * ends with the exit code 75, for a supervisor that starts it again.
   */
  async shutdown(
    options: HeadCallOptions & { readonly all?: boolean; readonly restart?: boolean } = {},
  ): Promise<void> {
    const { all = false, restart = false, ...call } = options;
    await this.#head.call(headService.shutdown, { all, restart }, call);
  }

  /**
   * Drains a node and ends it: actors that can restart do so elsewhere, tasks finish, and objects that only it holds
   * are moved. The drain continues by itself; calling this again returns its progress.
   * @param options deadlineMs: milliseconds, counted from the first call, after which whatever still runs is ended.
   *   Default 10 minutes. restart: whether the node's process ends with the exit code 75, for a supervisor that starts
   *   it again; it counts in the first call
   * @throws {PalimpsestError} NOT_FOUND, INVALID_ARGUMENT
   */
  async drain(
    nodeId: string,
    options: HeadCallOptions & { readonly deadlineMs?: number; readonly restart?: boolean } = {},
  ): Promise<DrainProgress> {
    const { deadlineMs = 0, restart = false, ...call } = options;
    const answer = await this.#head.call(headService.drainNode, { nodeId, deadlineMs, restart }, call);
    return fieldsOf(proto.DrainNodeResponse, answer);
  }

  /**
   * Removes the state of a durable actor, with its timers and its record of calls.
   * @returns whether there was any
   * @throws {PalimpsestError} ALREADY_EXISTS while an actor of that name is alive: kill it first
   */
  async removeDurable(
    name: string,
    options: HeadCallOptions & { readonly namespace?: string } = {},
  ): Promise<boolean> {
    checkValue(name, rules.filledText, "the name of removeDurable()");
    checkFields(options, { ...waitRules, namespace: rules.text }, "options of removeDurable()");
    const { namespace = "", ...call } = options;
    return (await this.#head.call(headService.removeDurable, { name, namespace }, call)).removed ?? false;
  }

  /**
   * Replaces the cluster's token while everything keeps running. Requires the cluster's own token. Earlier tokens are
   * refused after graceMs.
   */
  async rotateToken(
    options: HeadCallOptions & { readonly graceMs: number; readonly stolen?: boolean },
  ): Promise<RotatedToken> {
    const { graceMs, stolen = false, ...call } = options;
    const answer = await this.#head.call(headService.rotateToken, { graceMs, stolen }, call);
    return fieldsOf(proto.RotateTokenResponse, answer);
  }
}
