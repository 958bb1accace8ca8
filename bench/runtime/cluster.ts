/**
 * Starts a head and one worker of a built checkout, as a person starts them, and connects with that checkout's own
 * client.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Cluster } from "../../packages/runtime/client/src/index.js";

export interface BenchCluster {
  readonly client: Cluster;
  stop(): Promise<void>;
}

export async function startCluster(root: string, cpus: number): Promise<BenchCluster> {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-bench-"));
  const started: ChildProcess[] = [];
  const run = async (args: readonly string[], until: string) => {
    const child = spawn(process.execPath, [join(root, "packages/apps/cli/bin/palimpsest.js"), ...args], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, PALIMPSEST_DATA_DIR: folder },
    });
    started.push(child);
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8");
    });
    while (!output.includes(until)) {
      if (child.exitCode !== null) throw new Error(`${args.join(" ")} ended: ${output}`);
      await delay(20);
    }
  };
  const headDir = join(folder, "head");
  await run(["head", "start", "--data-dir", headDir], "listens on");
  const { readFileSync } = await import("node:fs");
  const { address } = JSON.parse(readFileSync(join(headDir, "head.json"), "utf8")) as { address: string };
  const token = readFileSync(join(headDir, "token"), "utf8").trim();
  const join_ = ["--address", address, "--token", token, "--node-dir", join(folder, "node")];
  await run(["worker", "join", ...join_, "--cpus", String(cpus)], "joined");
  const { connect } = (await import(
    pathToFileURL(join(root, "packages/runtime/client/dist/index.js")).href
  )) as typeof import("../../packages/runtime/client/src/index.js");
  const client = await connect({ address, token, name: "bench" });
  return {
    client,
    async stop() {
      await client.close();
      for (const child of started.reverse()) {
        child.kill("SIGTERM");
        if (child.exitCode === null) await once(child, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
