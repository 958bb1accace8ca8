/**
 * Responsibility: a cluster that lives as long as this program: it starts the installed command, which starts head and
 * worker, and ends it.
 * Not responsible for: how head and worker are started (`palimpsest dev`).
 *
 * Invariants:
 * - DEV-1. No process of the cluster outlives this program, however it ends: the command ends when its standard input
 *   does, and the kernel closes that with the program.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Socket } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";

/** The packages that have the command, in the order in which they are tried. */
const packages = ["palimpsest", "@palimpsest/runtime", "@palimpsest/cli"];
const factsSchema = z.object({ address: z.string(), token: z.string() });
const manifestSchema = z.object({ bin: z.object({ palimpsest: z.string() }) });
/** Milliseconds after which the command is killed, which ends its head and worker as well. */
const closeLimitMs = 30_000;
const keptOutput = 4_000;

export class LocalCluster {
  readonly address: string;
  readonly token: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(child: ChildProcess, facts: z.output<typeof factsSchema>, ended: Promise<unknown>) {
    this.address = facts.address;
    this.token = facts.token;
    this.#child = child;
    this.#ended = ended;
  }

  /** @throws {PalimpsestError} NOT_FOUND if no command is installed; UNAVAILABLE with what the command printed */
  static async start(how: { readonly cpus?: number | undefined }): Promise<LocalCluster> {
    const flags = how.cpus === undefined ? [] : ["--cpus", `${how.cpus}`];
    const child = spawn(process.execPath, [installedCommand(), "dev", "--for-program", ...flags], {
      stdio: ["pipe", "pipe", "pipe"],
      // A process group of its own: Ctrl-C in the terminal reaches this program, which ends the cluster.
      detached: true,
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-keptOutput);
    });
    child.stdin.on("error", () => undefined);
    const ended = once(child, "exit").catch((reason: unknown) => {
      said += String(reason);
    });
    const lines = createInterface({ input: child.stdout });
    const first = once(lines, "line").then(([line]) => String(line));
    const line = await Promise.race([first, ended.then(() => undefined)]);
    if (line === undefined) {
      throw new PalimpsestError(
        "UNAVAILABLE",
        `local: the cluster ended while it started: ${said.trim() || "it printed nothing"}`,
      );
    }
    // The process of the cluster keeps no program alive, which only its open connection does.
    for (const stream of [child, child.stdin, child.stdout, child.stderr])
      if (stream instanceof Socket || stream === child) stream.unref();
    return new LocalCluster(child, factsSchema.parse(JSON.parse(line)), ended);
  }

  /** Ends head and worker, and waits for it. */
  async close(): Promise<void> {
    this.#child.ref();
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), closeLimitMs);
    await this.#ended;
    clearTimeout(timer);
  }
}

/** Finds the program of the command from the main module, the working directory and this package. */
function installedCommand(): string {
  const main = process.argv[1];
  const places = [...(main ? [main] : []), join(process.cwd(), "program.js"), fileURLToPath(import.meta.url)];
  for (const place of places) {
    const require = createRequire(place);
    for (const name of packages)
      for (const folder of require.resolve.paths(name) ?? []) {
        const manifest = join(folder, name, "package.json");
        if (!existsSync(manifest)) continue;
        const parsed = manifestSchema.safeParse(JSON.parse(readFileSync(manifest, "utf8")));
        if (parsed.success) return join(dirname(manifest), parsed.data.bin.palimpsest);
      }
  }
  throw new PalimpsestError(
    "NOT_FOUND",
    `local: the package @palimpsest/runtime, whose command starts the cluster, is not installed for ${places.slice(0, -1).join(" or ")}: ` +
      "run `npm install @palimpsest/runtime` (or its tarball) there, or connect to a running cluster",
  );
}
