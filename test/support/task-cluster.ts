import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, type ConnectOptions, connect } from "@palimpsest/client";
import { createLogger } from "@palimpsest/telemetry";
import { Head } from "../../packages/runtime/head/src/index.js";
import { type NodeConfig, NodeManager } from "../../packages/runtime/node/src/index.js";
import { removeFolder } from "./temporary-folder.js";
import { workerProgram } from "./worker-program.js";

const logger = createLogger({ component: "test", level: "error" });

/** It only ends what hangs: busy machines take longer than the default. */
const connectTimeoutMs = 600_000;

/** A head and nodes in this process; workers run in separate processes. */
export class TaskCluster {
  readonly client: Cluster;
  readonly folder: string;
  readonly #head: Head;
  readonly #token: string;
  readonly #nodes: NodeManager[] = [];
  readonly #clients: Cluster[] = [];

  private constructor(client: Cluster, folder: string, head: Head, token: string) {
    this.client = client;
    this.folder = folder;
    this.#head = head;
    this.#token = token;
  }

  /** @param cpus the number of cpus of each node */
  static async start(
    cpus: readonly number[],
    more: Partial<Parameters<typeof Head.start>[0]> = {},
  ): Promise<TaskCluster> {
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-tasks-"));
    const headDir = join(folder, "head");
    const head = await Head.start({ ...more, dataDir: headDir }, { logger });
    const token = readFileSync(join(headDir, "token"), "utf8").trim();
    const client = await connect({ address: head.address, token, name: "test", connectTimeoutMs });
    const cluster = new TaskCluster(client, folder, head, token);
    for (const count of cpus) await cluster.startNode(count);
    return cluster;
  }

  async startNode(cpus: number, more: Partial<NodeConfig> = {}): Promise<NodeManager> {
    const node = await NodeManager.start(
      {
        headAddress: this.#head.address,
        token: this.#token,
        dataDir: join(this.folder, `node-${this.#nodes.length + 1}`),
        ...workerProgram,
        cpus,
        gpus: 0,
        warmProcesses: 1,
        // What a test no longer needs is not started again.
        warmProcessesMost: 1,
        ...more,
      },
      { logger, environment: process.env },
    );
    this.#nodes.push(node);
    await node.registered();
    return node;
  }

  /** Connects another driver. */
  async connect(name: string, more: Partial<ConnectOptions> = {}): Promise<Cluster> {
    const client = await connect({
      address: this.#head.address,
      token: this.#token,
      name,
      connectTimeoutMs,
      ...more,
    });
    this.#clients.push(client);
    return client;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Returns the task workers that are not dead. */
  async workers() {
    return (await this.client.actors()).filter(({ role }) => role === "tasks");
  }

  /** Returns the number of calls that the head has answered. */
  async headCalls(): Promise<number> {
    const page = await fetch(`http://${this.client.facts.metricsAddress}/metrics`, {
      headers: { authorization: `Bearer ${this.#token}` },
    });
    const counts = (await page.text()).matchAll(/^palimpsest_head_rpc_seconds_count\{.*\} (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  async stop(): Promise<void> {
    for (const client of [this.client, ...this.#clients]) await client.close();
    for (const node of this.#nodes) await node.close("the test is over");
    await this.#head.close();
    removeFolder(this.folder);
  }
}
