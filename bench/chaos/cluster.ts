/**
 * The cluster under test: Redis, two heads, two nodes and a driver that trains, each on a host of its own. Every
 * process but the driver is kept by a service manager that starts it again after its death.
 */
import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ActorInfo, connect } from "@palimpsest/client";
import { RunQueues } from "@palimpsest/trajectories";
import { newToken } from "@palimpsest/wire";
import { closeBridge, Host, openBridge } from "./host.js";
import { Service } from "./service.js";

const cli = fileURLToPath(new URL("../../packages/apps/cli/bin/palimpsest.js", import.meta.url));
const headPort = 7420;
const redisPort = 6379;
const diskSize = "1g";

/** The fields of a step's line in metrics.jsonl that the bench reads. */
export interface StepLine {
  readonly step: number;
  readonly update: { readonly groups: number; readonly trajectories: number };
}

export class ChaosCluster {
  readonly folder: string;
  readonly redis: Service;
  readonly heads: readonly Service[];
  readonly nodes: readonly Service[];
  readonly driver: Service;
  readonly hosts: readonly Host[];
  /** The targets that faults hold at this moment. */
  readonly struck = new Set<string>();
  readonly #steps: StepLine[] = [];
  #stepsReadBytes = 0;
  readonly #disks: readonly string[];
  readonly #token = newToken();
  readonly #redisUrl: string;

  constructor(folder: string, recipe: string) {
    this.folder = folder;
    openBridge();
    const [redis, head1, head2, node1, node2, driver] = [
      new Host("redis", 2),
      new Host("head-1", 11),
      new Host("head-2", 12),
      new Host("node-1", 21),
      new Host("node-2", 22),
      new Host("driver", 31),
    ] as const;
    this.hosts = [redis, head1, head2, node1, node2, driver];
    const disk = (name: string) => {
      const path = join(folder, name);
      mkdirSync(path, { recursive: true });
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskSize}`, "tmpfs", path]);
      return path;
    };
    const disks = {
      redis: disk("redis"),
      "node-1": disk("node-1"),
      "node-2": disk("node-2"),
      run: disk("run"),
    };
    this.#disks = Object.values(disks);
    const password = newToken();
    this.#redisUrl = `redis://:${password}@${redis.address}:${redisPort}`;
    const config = join(folder, "redis.conf");
    writeFileSync(
      config,
      [
        `bind ${redis.address}`,
        `port ${redisPort}`,
        `requirepass ${password}`,
        `dir ${disks.redis}`,
        "appendonly yes",
        "appendfsync everysec",
        'save ""',
        "maxmemory-policy noeviction",
        "",
      ].join("\n"),
      { mode: 0o600 },
    );
    const environment = { PALIMPSEST_TOKEN: this.#token };
    const service = (host: Host, args: readonly string[], restart = true) =>
      new Service({
        host,
        program: process.execPath,
        args: [cli, ...args],
        environment,
        logFile: join(folder, `${host.name}.log`),
        restart,
      });
    this.redis = new Service({
      host: redis,
      program: "redis-server",
      args: [config],
      logFile: join(folder, "redis.log"),
    });
    this.heads = [head1, head2].map((host) =>
      service(host, [
        ...["head", "start", "--host", host.address, "--port", String(headPort), "--insecure"],
        ...["--redis", this.#redisUrl, "--data-dir", join(folder, host.name)],
      ]),
    );
    const address = this.address;
    this.nodes = [node1, node2].map((host) =>
      service(host, [
        ...["worker", "join", "--address", address, "--host", host.address, "--cpus", "4", "--insecure"],
        ...["--node-dir", join(folder, host.name)],
      ]),
    );
    this.driver = service(
      driver,
      ["train", recipe, "--address", address, "--run-dir", join(disks.run, "run"), "--steps", "100000"],
      false,
    );
  }

  /** The addresses of both heads, for `--address`. */
  get address(): string {
    const [, head1, head2] = this.hosts;
    return `${head1?.address}:${headPort},${head2?.address}:${headPort}`;
  }

  get runFolder(): string {
    return join(this.folder, "run", "run");
  }

  get redisAddress(): { readonly host: string; readonly port: number } {
    return { host: this.hosts[0]?.address ?? "", port: redisPort };
  }

  /** Returns the finished steps. Reads only what was appended to the file since the last call. */
  steps(): readonly StepLine[] {
    const file = join(this.runFolder, "metrics.jsonl");
    if (!existsSync(file)) return this.#steps;
    const descriptor = openSync(file, "r");
    try {
      const added = Buffer.alloc(Math.max(0, fstatSync(descriptor).size - this.#stepsReadBytes));
      readSync(descriptor, added, 0, added.length, this.#stepsReadBytes);
      const whole = added.subarray(0, added.lastIndexOf("\n") + 1);
      this.#stepsReadBytes += whole.length;
      for (const line of whole.toString("utf8").split("\n").filter(Boolean))
        this.#steps.push(JSON.parse(line));
    } finally {
      closeSync(descriptor);
    }
    return this.#steps;
  }

  /** Returns the living actors of a role, or none when no head answers in time. */
  async actors(role: string): Promise<readonly ActorInfo[]> {
    try {
      const cluster = await connect({
        address: this.address,
        token: this.#token,
        name: "chaos",
        connectTimeoutMs: 15_000,
      });
      try {
        const actors = await cluster.actors();
        return actors.filter((actor) => actor.role === role && actor.state === "alive");
      } finally {
        await cluster.close();
      }
    } catch {
      return [];
    }
  }

  /** Returns the index of the leading head according to the heads' logs; 0 when the logs do not tell. */
  leader(): number {
    const answers = this.heads.map((head) => head.output.lastIndexOf("listens on"));
    return (answers[1] ?? -1) > (answers[0] ?? -1) ? 1 : 0;
  }

  /** Reads the run's ledger after the run has ended. */
  async ledger() {
    const { runId } = JSON.parse(readFileSync(join(this.runFolder, "run.json"), "utf8")) as { runId: string };
    const queues = await RunQueues.open({ redisUrl: this.#redisUrl, runId });
    try {
      return await queues.ledger.counts();
    } finally {
      await queues.close();
    }
  }

  close(): void {
    for (const service of [this.driver, ...this.nodes, ...this.heads, this.redis]) service.close();
    for (const host of this.hosts) host.remove();
    closeBridge();
    for (const path of this.#disks) execFileSync("umount", ["-l", path]);
    rmSync(join(this.folder, "run"), { recursive: true, force: true });
  }
}
