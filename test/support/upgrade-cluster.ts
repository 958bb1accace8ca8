/** A cluster over one Redis whose processes a supervisor starts again, in the version that is installed then. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type RedisServer, startRedisServer } from "@palimpsest/trajectories/testing";
import { newToken } from "@palimpsest/wire";
import { Command, type CommandEnd } from "./command.js";
import { isAlive } from "./processes.js";
import { testFolder } from "./temporary-folder.js";
import { GivenUp, until } from "./until.js";

/** One version of the software. */
export interface Installation {
  /** Path of the command; undefined: that of this checkout. */
  readonly program?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export class UpgradeCluster {
  readonly folder: string;
  readonly token = newToken();
  /** What the supervisor starts from now on. */
  installed: Installation;
  /** Whether processes that end are started again. */
  supervises = true;
  /** The exit codes of processes that ended, by their names. */
  readonly ends: (readonly [name: string, code: number | null])[] = [];
  readonly #redis: RedisServer;
  readonly #running = new Map<string, Command>();
  #stopping = false;

  private constructor(redis: RedisServer, installed: Installation, folder: string) {
    this.#redis = redis;
    this.installed = installed;
    this.folder = folder;
  }

  static async start(installed: Installation, folder = testFolder()): Promise<UpgradeCluster> {
    return new UpgradeCluster(await startRedisServer({ appendOnly: true }), installed, folder);
  }

  /** Starts a head at this address (host:port), or a standby if another one leads. */
  async head(name: string, address: string): Promise<void> {
    const data = join(this.folder, name);
    const port = address.split(":")[1] ?? "";
    const args = ["head", "start", "--redis", this.#redis.url, "--data-dir", data, "--port", port];
    const head = this.#supervise(name, [...args, "--no-dashboard"]);
    await until(`${name} listens`, () => {
      if (!head.running) throw new GivenUp(`it ended: ${head.output}`);
      return /standby on|listens on/.test(head.output);
    });
  }

  /** @param warmProcesses processes that wait for actors */
  async worker(name: string, addresses: string, warmProcesses = 0): Promise<void> {
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    const where = ["--address", addresses, "--node-dir", folder];
    const offers = ["--cpus", "2", "--warm-processes", String(warmProcesses)];
    const worker = this.#supervise(name, ["worker", "join", ...where, ...offers]);
    await until(`${name} joins`, () => {
      if (!worker.running) throw new GivenUp(`it ended: ${worker.output}`);
      return worker.output.includes("joined");
    });
  }

  /** Starts everything that has ended, and what ends from now on. */
  restartAll(): void {
    this.supervises = true;
    for (const again of this.#ended.splice(0)) again();
  }

  readonly #ended: (() => void)[] = [];

  #supervise(name: string, args: readonly string[]): Command {
    const command = this.command(args, this.installed);
    this.#running.set(name, command);
    const again = () => void this.#supervise(name, args);
    void command.ended.then(({ code }) => {
      this.ends.push([name, code]);
      if (this.#stopping) return;
      if (this.supervises) again();
      else this.#ended.push(again);
    });
    return command;
  }

  command(args: readonly string[], { program, environment = {} }: Installation): Command {
    return Command.start(args, {
      cwd: this.folder,
      environment: {
        PALIMPSEST_TOKEN: this.token,
        XDG_STATE_HOME: join(this.folder, "state"),
        ...environment,
      },
      ...(program === undefined ? {} : { program: [program] }),
    });
  }

  run(args: readonly string[], installation: Installation): Promise<CommandEnd> {
    return this.command(args, installation).ended;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const all = [...this.#running.values()].filter(({ running }) => running);
    for (const command of all) command.kill("SIGTERM");
    await Promise.all(all.map(({ ended }) => ended));
    await until("all have ended", () => !all.some(({ pid }) => isAlive(pid)));
    await this.#redis.close();
  }
}
