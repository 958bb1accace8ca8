/**
 * The head as one running thing: Redis, tables, gRPC server, metrics page, started and ended in order.
 *
 * Not its job: what the RPCs mean (the services), what becomes of actors and jobs (the control plane).
 *
 * Invariants:
 * - H1. Nothing is served before the tables of an earlier head are loaded.
 * - H2. Same folder: same token, same cluster id and, unless another was asked for, same port.
 * - H3. close() ends everything that start() began, in whatever state it is, once.
 */

import type { Logger, Metrics } from "@palimpsest/telemetry";
import type { Clock } from "@palimpsest/wire";
import { type HeadConfigInput, parseHeadConfig } from "./config.js";
import { type HeadAddress, keepToken, prepareFolder, readHeadAddress } from "./head-files.js";
import { begin, endAll, type Parts } from "./head-start.js";
import { refuseSecondHead } from "./second-head.js";

export interface HeadDeps {
  readonly logger: Logger;
  /** Default: a registry of its own with component "head". */
  readonly metrics?: Metrics;
  readonly clock?: Clock;
}

export interface HeadCloseOptions {
  /** Nodes end too, with all that runs on them. */
  readonly stopNodes?: boolean;
  /** The head's own Redis goes on, for nodes and drivers that go on. */
  readonly leaveRedis?: boolean;
}

export class Head {
  /** host:port to give to nodes and drivers. */
  readonly address: string;
  readonly token: string;
  readonly clusterId: string;
  /** host:port of the metrics page, empty when off. */
  readonly metricsAddress: string;
  /** Resolves when the head has ended, by close() or by an RPC. */
  readonly closed: Promise<void>;
  readonly #parts: Parts;
  #closing: Promise<void> | undefined;
  #markClosed!: () => void;

  private constructor(facts: HeadAddress, token: string, parts: Parts) {
    this.address = facts.address;
    this.token = token;
    this.clusterId = facts.clusterId;
    this.metricsAddress = facts.metricsAddress;
    this.#parts = parts;
    this.closed = new Promise((resolve) => {
      this.#markClosed = resolve;
    });
  }

  /** @throws {PalimpsestError} CONFIG_INVALID, UNAVAILABLE, ALREADY_EXISTS, each with the mend in one line */
  static async start(input: HeadConfigInput, deps: HeadDeps): Promise<Head> {
    const config = parseHeadConfig(input);
    prepareFolder(config.dataDir);
    const before = readHeadAddress(config.dataDir);
    await refuseSecondHead(before);
    const parts: Parts = { endings: [], leaveRedis: false, stopNodes: async () => undefined };
    let head: Head | undefined;
    try {
      const token = keepToken(config.dataDir, config.token);
      const shutdown = (all: boolean) => void head?.close({ stopNodes: all, leaveRedis: !all });
      const facts = await begin({ config, deps, parts, token, shutdown, before });
      head = new Head(facts, token, parts);
      return head;
    } catch (reason) {
      await endAll(parts);
      throw reason;
    }
  }

  /** Ends the head in order. Without options its own Redis ends too, and nodes go on looking for the head. */
  close(options: HeadCloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  async #close(options: HeadCloseOptions): Promise<void> {
    this.#parts.leaveRedis = options.leaveRedis ?? false;
    if (options.stopNodes) await this.#parts.stopNodes();
    await endAll(this.#parts);
    this.#markClosed();
  }
}
