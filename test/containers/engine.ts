/**
 * podman with storage, networks and settings in one folder, so that nothing of the machine's own containers is read or
 * changed.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export class Engine {
  readonly folder: string;
  readonly #environment: NodeJS.ProcessEnv;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    const settings = join(folder, "containers.conf");
    // Rootful runc is the one runtime that accepts the first version of control groups.
    const oldGroups = !existsSync("/sys/fs/cgroup/cgroup.controllers");
    writeFileSync(
      settings,
      [
        "[containers]",
        'default_ulimits = ["nofile=20000:20000", "nproc=30000:30000"]',
        "[network]",
        'network_backend = "netavark"',
        `network_config_dir = "${join(folder, "networks")}"`,
        "[engine]",
        'events_logger = "file"',
        ...(oldGroups ? ['runtime = "runc"', 'cgroup_manager = "cgroupfs"'] : []),
        "",
      ].join("\n"),
    );
    const storage = join(folder, "storage.conf");
    writeFileSync(
      storage,
      `[storage]\ndriver = "overlay"\ngraphroot = "${join(folder, "graph")}"\nrunroot = "${join(folder, "run")}"\n`,
    );
    this.#environment = { ...process.env, CONTAINERS_CONF: settings, CONTAINERS_STORAGE_CONF: storage };
  }

  /** Returns why no container can be run here, or undefined. */
  static missing(): string | undefined {
    for (const [program, packages] of [
      ["podman", "apt-get install podman netavark aardvark-dns runc"],
      ["podman-compose", "pip install podman-compose==1.6.0"],
      ["mmdebstrap", "apt-get install mmdebstrap"],
      ["kubectl", "apt-get install kubernetes-client"],
    ] as const)
      if (spawnSync(program, ["--version"]).error) return `no ${program}: ${packages}`;
    // Debian 12 has 1.0, which knows no profiles.
    const compose = spawnSync("podman-compose", ["--version"], { encoding: "utf8" }).stdout;
    if (!/podman-compose version 1\.[1-9]/.test(compose))
      return "a podman-compose before 1.1: pip install podman-compose==1.6.0";
    if (process.getuid?.() !== 0) return "only root can make the base image";
    return undefined;
  }

  /** Runs podman, or another program with podman's environment, to its end. */
  async attempt(args: readonly string[], options: RunOptions = {}, program = "podman"): Promise<Ended> {
    const child = spawn(program, args, {
      cwd: options.cwd ?? this.folder,
      env: { ...this.#environment, ...options.environment },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    // A program that refuses its arguments ends without reading.
    child.stdin.on("error", () => undefined).end(options.input ?? "");
    const [code] = (await once(child, "close")) as [number | null];
    return { code, stdout, stderr };
  }

  /** @throws with what it wrote where it fails */
  async run(args: readonly string[], options: RunOptions = {}, program = "podman"): Promise<string> {
    const { code, stdout, stderr } = await this.attempt(args, options, program);
    if (code !== 0)
      throw new Error(
        `${program} ${args.join(" ")} ended with ${code}: ${`${stdout}${stderr}`.slice(-4000)}`,
      );
    return stdout.trim();
  }

  /** Ends every container and removes everything, images too unless `keepImages`. */
  async close(keepImages: boolean): Promise<void> {
    await this.attempt(["pod", "rm", "--all", "--force", "--time", "0"]);
    await this.attempt(["rm", "--all", "--force", "--time", "0", "--volumes"]);
    await this.attempt(["volume", "prune", "--force"]);
    await this.attempt(["network", "prune", "--force"]);
    if (keepImages) return;
    await this.attempt(["system", "reset", "--force"]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
