/**
 * Responsibility: the head as one running program: Redis, tables, gRPC server and metrics page, started and stopped
 * in order.
 * Not responsible for: the meaning of RPCs (the services), or the lifecycles of actors and jobs (the control plane).
 *
 * Invariants:
 * - HEAD-1. Nothing is served before the tables of an earlier head are loaded.
 * - HEAD-2. A head on the same folder has the same token, the same cluster id and, unless another is requested, the
 *   same port.
 * - HEAD-3. close() ends everything that start() began, once, from any state. What cannot be ended is logged and does
 *   not prevent the rest from ending.
 * - HEAD-4. A head that no longer leads ends at once, and `closed` says why.
 */

import { systemClock } from "@palimpsest/std";
import { type Credentials, PalimpsestError } from "@palimpsest/wire";
import { lockFolder } from "@palimpsest/wire/folder-lock";
import { type HeadAddress, readHeadAddress } from "@palimpsest/wire/local-head";
import { type HeadConfigInput, parseHeadConfig } from "../rules/config.js";
import { openCredentials } from "../rules/head-credentials.js";
import { prepareFolder } from "../store/head-files.js";
import { type Beginning, endAll, type Parts } from "./head-beginning.js";
import type { HeadDeps } from "./head-deps.js";
import { begin } from "./head-start.js";

/** How a head ended. */
export interface HeadEnd {
  readonly reason: string;
  /** Whether another head leads, or may lead. This one can then be started again as a standby. */
  readonly deposed: boolean;
  /** Whether it was asked to end in order to be started again. */
  readonly restart: boolean;
}

export interface HeadCloseOptions {
  /** Whether the nodes end too, with everything that runs on them. */
  readonly stopNodes?: boolean;
  /** Whether the head's own Redis keeps running, for nodes and drivers that do. */
  readonly leaveRedis?: boolean;
  /** Whether this head is to be started again, as `closed` then says. */
  readonly restart?: boolean;
}

export class Head {
  /** host:port for nodes and drivers. */
  readonly address: string;
  readonly #credentials: Credentials;
  readonly clusterId: string;
  /** host:port of the metrics page; empty when it is off. */
  readonly metricsAddress: string;
  /** host:port of the dashboard; empty when it is off. */
  readonly dashboardAddress: string;
  /** Resolves when the head has ended: by close(), by an RPC, or because another head leads. */
  readonly closed: Promise<HeadEnd>;
  readonly #parts: Parts;
  #closing: Promise<void> | undefined;
  #markClosed!: (end: HeadEnd) => void;

  private constructor(facts: HeadAddress, credentials: Credentials, parts: Parts) {
    this.address = facts.address;
    this.#credentials = credentials;
    this.clusterId = facts.clusterId;
    this.metricsAddress = facts.metricsAddress;
    this.dashboardAddress = facts.dashboardAddress;
    this.#parts = parts;
    this.closed = new Promise((resolve) => {
      this.#markClosed = resolve;
    });
  }

  /** @throws {PalimpsestError} CONFIG_INVALID, UNAVAILABLE, ALREADY_EXISTS */
  static async start(input: HeadConfigInput, deps: HeadDeps): Promise<Head> {
    const config = parseHeadConfig(input);
    prepareFolder(config.dataDir);
    const before = readHeadAddress(config.dataDir);
    const lock = await lockFolder(config.dataDir, "head.lock", (reason) =>
      deps.logger.warn({ err: reason }, "the data folder cannot be locked: run no second head on it"),
    );
    if (!("release" in lock)) {
      const holder = before?.pid ? `, pid ${before.pid} at ${before.address}` : "";
      throw new PalimpsestError(
        "ALREADY_EXISTS",
        `a head already runs with this data folder${holder}: stop it or use another data folder than ${config.dataDir}`,
      );
    }
    const parts: Parts = {
      // They run in reverse, so that another head starts only when this one has ended.
      endings: [() => lock.release()],
      leaveRedis: false,
      deposed: false,
      stopNodes: async () => undefined,
      logger: deps.logger,
    };
    let head: Head | undefined;
    try {
      const credentials = openCredentials(config, deps.clock ?? systemClock);
      const shutdown: Beginning["shutdown"] = ({ all, restart }) =>
        void head?.close({ stopNodes: all, leaveRedis: !all, restart });
      const { facts, lost } = await begin({ config, deps, parts, credentials, shutdown, before });
      const started = new Head(facts, credentials, parts);
      head = started;
      void lost.then((reason) => started.#depose(reason));
      return started;
    } catch (reason) {
      await endAll(parts);
      throw reason;
    }
  }

  /** URL of the metrics page; empty when it is off. */
  get metricsUrl(): string {
    if (this.metricsAddress === "") return "";
    return `${this.#credentials.tls ? "https" : "http"}://${this.metricsAddress}/metrics`;
  }

  /** URL of the dashboard; empty when it is off. */
  get dashboardUrl(): string {
    if (this.dashboardAddress === "") return "";
    return `${this.#credentials.tls ? "https" : "http"}://${this.dashboardAddress}/`;
  }

  /** The cluster's current token. */
  get token(): string {
    return this.#credentials.token;
  }

  /** Ends the head in an orderly way. Without options its own Redis ends too, and nodes keep looking for the head. */
  close(options: HeadCloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  async #close(options: HeadCloseOptions): Promise<void> {
    this.#parts.leaveRedis = options.leaveRedis ?? false;
    if (options.stopNodes) await this.#parts.stopNodes();
    await endAll(this.#parts);
    this.#markClosed({ reason: "it was closed", deposed: false, restart: options.restart ?? false });
  }

  #depose(reason: string): void {
    if (this.#closing !== undefined) return;
    this.#parts.logger.error({ reason }, "this head no longer leads");
    this.#parts.deposed = true;
    this.#parts.leaveRedis = true;
    this.#closing = endAll(this.#parts).then(() =>
      this.#markClosed({ reason, deposed: true, restart: false }),
    );
  }
}
