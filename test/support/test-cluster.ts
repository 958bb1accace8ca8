import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ActorInfo, type Cluster, connect } from "@palimpsest/client";
import { Command, type CommandEnd } from "./command.js";
import { writeGuessingBase } from "./guessing-base.js";
import { commandLine, isAlive, markedProcesses, markName } from "./processes.js";
import { removeFolder } from "./temporary-folder.js";
import { GivenUp, until } from "./until.js";

export interface TestClusterOptions {
  /** The number of workers, default 1. Each offers 4 cpus, whatever the machine has. */
  readonly workers?: number;
  /** Whether everything runs under mutual TLS. */
  readonly tls?: boolean;
  /** Further flags of `head start`; `$DIR` in them is the cluster's folder. */
  readonly headFlags?: readonly string[];
  /** Further flags of `worker join`. */
  readonly workerFlags?: readonly string[];
  /** Files to write into the cluster's folder before the start, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Further environment variables of every command. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Whether it has printed that it is ready, for people or, with --json, for programs. */
const isReady = ({ output }: Command, text: string) =>
  output.includes(text) || output.includes('{"event":"ready"');

/** A head and workers as a person starts them: real processes of the command, in a separate folder. */
export class TestCluster {
  readonly dir: string;
  readonly headDir: string;
  readonly workers: Command[] = [];
  #tls = false;
  #headFlags: readonly string[] = [];
  #environment: Readonly<Record<string, string>> = {};
  #head: Command | undefined;
  #client: Cluster | undefined;
  #commands: Command[] = [];
  /** Redis overwrites its environment, and thereby the mark, with its process title. */
  readonly #redisPids = new Set<number>();

  private constructor(dir: string) {
    this.dir = dir;
    this.headDir = join(dir, "head");
  }

  static async start(options: TestClusterOptions = {}): Promise<TestCluster> {
    const cluster = new TestCluster(mkdtempSync(join(tmpdir(), "palimpsest-story-")));
    cluster.#environment = options.environment ?? {};
    cluster.#headFlags = (options.headFlags ?? []).map((flag) => flag.replace("$DIR", cluster.dir));
    for (const [name, text] of Object.entries(options.files ?? {}))
      writeFileSync(join(cluster.dir, name), text);
    try {
      if (options.tls) await cluster.#makeCertificates();
      await cluster.startHead();
      await Promise.all(
        Array.from({ length: options.workers ?? 1 }, () => cluster.startWorker(options.workerFlags)),
      );
      return cluster;
    } catch (reason) {
      await cluster.stop();
      throw reason;
    }
  }

  /** The address (host:port) of the head. */
  get address(): string {
    return (JSON.parse(readFileSync(join(this.headDir, "head.json"), "utf8")) as { address: string }).address;
  }

  get token(): string {
    return readFileSync(join(this.headDir, "token"), "utf8").trim();
  }

  get head(): Command {
    if (!this.#head) throw new Error("the head was not started");
    return this.#head;
  }

  /** The test's own connection. */
  get client(): Cluster {
    if (!this.#client) throw new Error("the cluster is not connected");
    return this.#client;
  }

  /** Returns the folder with the certificate of a role; empty without TLS. */
  certificates(role: string): string {
    return this.#tls ? join(this.dir, "certs", role) : "";
  }

  async #makeCertificates(): Promise<void> {
    const end = await this.run(["certs", "init", "--dir", join(this.dir, "certs")]);
    if (end.code !== 0) throw new Error(`certs init failed: ${end.stderr}`);
    this.#tls = true;
  }

  #tlsArguments(role: string): string[] {
    // The path is relative to the folder of the command, as people write it. That is not the folder of the jobs that
    // the node starts.
    return this.#tls ? ["--tls", join("certs", role)] : [];
  }

  /** Starts the head on the cluster's folder, also again after it was killed. */
  async startHead(): Promise<Command> {
    const flags = [...this.#tlsArguments("head"), ...this.#headFlags];
    const head = this.start(["head", "start", "--data-dir", this.headDir, ...flags]);
    this.#head = head;
    await until("the head listens", () => isReady(head, "listens on") || failIfEnded(head), {
      explain: () => head.output,
    });
    this.#client ??= await connect({
      address: this.address,
      token: this.token,
      tls: this.certificates("driver"),
      name: "test",
      connectTimeoutMs: 600_000,
    });
    this.#redisPids.add((await this.client.info()).redisPid);
    return head;
  }

  async startWorker(args: readonly string[] = []): Promise<Command> {
    const folder = `node-${this.workers.length + 1}`;
    const options = ["--address", this.address, "--token", this.token, "--node-dir", folder, "--cpus", "4"];
    // Warm processes that still wait for actors when the test ends would be started for nothing, so these workers have
    // none; the nodes of TaskCluster have some.
    options.push("--warm-processes", "0");
    const worker = this.start(["worker", "join", ...options, ...this.#tlsArguments("node"), ...args]);
    this.workers.push(worker);
    await until("the worker joins", () => isReady(worker, "joined") || failIfEnded(worker), {
      explain: () => worker.output,
    });
    return worker;
  }

  /** Starts a command that finds this cluster without further settings. */
  start(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Command {
    const command = Command.start(args, {
      cwd: this.dir,
      environment: {
        [markName]: this.dir,
        // No folder of the user is read or written.
        XDG_STATE_HOME: join(this.dir, "state"),
        PALIMPSEST_DATA_DIR: this.dir,
        ...this.#environment,
        ...environment,
      },
    });
    this.#commands.push(command);
    return command;
  }

  /** Runs a command to its end. */
  async run(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<CommandEnd> {
    return await this.start(args, environment).ended;
  }

  /** Makes a folder with a base model in `base`, for recipes. */
  async recipeFolder(name: string): Promise<string> {
    const folder = join(this.dir, name);
    mkdirSync(folder, { recursive: true });
    await writeGuessingBase(join(folder, "base"));
    return folder;
  }

  /** Returns the living actors of one role, sorted by id. */
  async actors(role: string): Promise<readonly ActorInfo[]> {
    const actors = await this.client.actors();
    return actors
      .filter((actor) => actor.role === role && actor.state === "alive")
      .sort((a, b) => (a.actorId < b.actorId ? -1 : 1));
  }

  /** Returns every living process of the cluster: head, Redis, nodes, actors, drivers, commands. */
  processes(): number[] {
    const redis = [...this.#redisPids].filter(
      (pid) => isAlive(pid) && commandLine(pid).includes("redis-server"),
    );
    return [...markedProcesses(this.dir), ...redis];
  }

  /** Ends the cluster as `palimpsest stop` does. Returns the processes that outlived it, which it then kills. */
  async stop(): Promise<readonly string[]> {
    // A head that does not answer leaves processes, which is what the tests look at.
    if (this.#head?.running) await this.#client?.shutdown({ all: true }).catch(() => undefined);
    await this.#client?.close().catch(() => undefined);
    this.#client = undefined;
    const gone = () => this.processes().length === 0;
    // Each check reads the whole process table.
    const everyMs = 100;
    await until("every process has ended", gone, { everyMs }).catch(() => undefined);
    const left = this.processes();
    const orphans = left.map(commandLine);
    for (const pid of left) process.kill(pid, "SIGKILL");
    for (const command of this.#commands) if (command.running) command.kill("SIGKILL");
    await until("killed processes are gone", () => !left.some(isAlive));
    removeFolder(this.dir);
    return orphans;
  }
}

function failIfEnded(command: Command): false {
  if (command.running) return false;
  throw new GivenUp(`it ended: ${command.output}`);
}
