import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ActorChannel, type Cluster, connect, createHandle } from "@palimpsest/client";
import { createLogger } from "@palimpsest/telemetry";
import { Credentials, grpcNetwork, loadTls } from "@palimpsest/wire";
import { ActorState } from "@palimpsest/wire/protocol";
import { Head } from "../../packages/runtime/head/src/index.js";
import { NodeManager } from "../../packages/runtime/node/src/index.js";
import { BusyActor } from "./busy-actor.js";
import type { DriverNews, DriverOrder } from "./busy-driver.js";
import { Command } from "./command.js";
import { removeFolder } from "./temporary-folder.js";
import { workerProgram } from "./worker-program.js";

export interface BusyClusterOptions {
  readonly ownerGraceMs?: number;
  readonly sessionLeaseMs?: number;
  /** Whether everything runs under mutual TLS. */
  readonly tls?: boolean;
}

export interface StaleCaller {
  readonly actorId: string;
  /** Asks the actor for its id. */
  ask(): Promise<string>;
  close(): void;
}

/** A head and a node in this process; actors and drivers run in separate processes. */
export class BusyCluster {
  readonly client: Cluster;
  readonly folder: string;
  readonly address: string;
  readonly token: string;
  /** The folder of a driver's certificate; empty without TLS. */
  readonly tls: string;
  readonly #end: () => Promise<void>;

  private constructor(
    client: Cluster,
    parts: Pick<BusyCluster, "folder" | "address" | "token" | "tls">,
    end: () => Promise<void>,
  ) {
    this.client = client;
    this.folder = parts.folder;
    this.address = parts.address;
    this.token = parts.token;
    this.tls = parts.tls;
    this.#end = end;
  }

  static async start({ tls = false, ...options }: BusyClusterOptions = {}): Promise<BusyCluster> {
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-busy-"));
    if (tls) await makeCertificates(folder);
    const certificates = (role: string) => (tls ? join(folder, "certs", role) : "");
    const logger = createLogger({ component: "test", level: "error" });
    const headDir = join(folder, "head");
    const head = await Head.start({ dataDir: headDir, tls: certificates("head"), ...options }, { logger });
    const token = readFileSync(join(headDir, "token"), "utf8").trim();
    const { address } = head;
    const node = await NodeManager.start(
      {
        headAddress: address,
        token,
        tls: certificates("node"),
        dataDir: join(folder, "node"),
        ...workerProgram,
        warmProcesses: 0,
        cpus: 8,
      },
      { logger, environment: process.env },
    );
    await node.registered();
    const client = await connect({ address, token, tls: certificates("driver"), name: "test" });
    return new BusyCluster(client, { folder, address, token, tls: certificates("driver") }, async () => {
      await client.close();
      await node.close("the test is over");
      await head.close();
      removeFolder(folder);
    });
  }

  /** An actor type that takes few of the node's resources. */
  get busyActors() {
    const source = { from: new URL("./busy-actor.ts", import.meta.url) };
    return this.client.actor(BusyActor, source, { resources: { cpu: 0.01 }, maxPendingCalls: 20_000 });
  }

  startDriver(name: string): Promise<BusyDriver> {
    return BusyDriver.start([this.address, this.token, name, this.tls]);
  }

  async stateOf(actorId: string): Promise<string> {
    const actors = await this.client.actors({ includeDead: true });
    return actors.find((actor) => actor.actorId === actorId)?.state ?? "unknown";
  }

  /** Makes a caller that keeps this address and the actor's first incarnation, and never looks them up again. */
  staleCaller(actorId: string, address: string, timeoutMs: number): StaleCaller {
    const resolver = {
      resolve: async () => ({
        spec: { actorId },
        address,
        incarnation: 1,
        state: ActorState.ACTOR_STATE_ALIVE,
      }),
    };
    const credentials = Credentials.ofCluster(this.token, { tls: this.tls ? loadTls(this.tls) : undefined });
    const channel = new ActorChannel({ actorId, network: grpcNetwork({ credentials }), resolver });
    const noHead = () => Promise.reject(new Error("no head here"));
    const handle = createHandle<BusyActor>({
      channel,
      defaults: { timeoutMs, retries: 0 },
      info: noHead,
      kill: noHead,
      onDeath: () => () => undefined,
    });
    return { actorId, ask: () => handle.id(), close: () => channel.close() };
  }

  async addressOf(actorId: string): Promise<string> {
    const actors = await this.client.actors();
    return actors.find((actor) => actor.actorId === actorId)?.address ?? "";
  }

  stop(): Promise<void> {
    return this.#end();
  }
}

async function makeCertificates(folder: string): Promise<void> {
  const dir = join(folder, "certs");
  const { code, stderr } = await Command.start(["certs", "init", "--dir", dir], {
    cwd: folder,
    environment: {},
  }).ended;
  if (code !== 0) throw new Error(`certs init failed: ${stderr}`);
}

export class BusyDriver {
  readonly actorId: string;
  readonly pid: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, actorId: string) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.actorId = actorId;
  }

  static async start(args: readonly string[]): Promise<BusyDriver> {
    const child = fork(fileURLToPath(new URL("./busy-driver.ts", import.meta.url)), args, {
      execArgv: ["--import", "tsx", "--conditions=@palimpsest/source"],
      env: { ...process.env, NODE_OPTIONS: "" },
    });
    const ready = await newsOf(child, "ready");
    return new BusyDriver(child, ready.actorId);
  }

  tell(order: DriverOrder): void {
    this.#child.send(order);
  }

  heard<Kind extends DriverNews["kind"]>(kind: Kind): Promise<Extract<DriverNews, { kind: Kind }>> {
    return newsOf(this.#child, kind);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }
}

function newsOf<Kind extends DriverNews["kind"]>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<DriverNews, { kind: Kind }>> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      child.off("message", hear);
      child.off("exit", ended);
    };
    const hear = (news: DriverNews) => {
      if (!isOf(news, kind)) return;
      leave();
      resolve(news);
    };
    const ended = (code: number | null, signal: string | null) => {
      leave();
      reject(new Error(`the driver ended (${code ?? signal}) before it said "${kind}"`));
    };
    child.on("message", hear);
    child.on("exit", ended);
  });
}

function isOf<Kind extends DriverNews["kind"]>(
  news: DriverNews,
  kind: Kind,
): news is Extract<DriverNews, { kind: Kind }> {
  return news.kind === kind;
}
