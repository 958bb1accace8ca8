/**
 * Reads and writes the head folder's record of its own redis-server, and checks whether that process is still the same.
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isProcessAlive } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import { writeSecretFile } from "./head-files.js";

const recordSchema = z.object({
  pid: z.number(),
  port: z.number(),
  passwords: z.object({ head: z.string(), queues: z.string() }),
  /** The run of the server in which its tables were complete, and the mark that they got then (REDIS-7). */
  complete: z.object({ runId: z.string(), mark: z.string() }).optional(),
});
export type RedisRecord = z.infer<typeof recordSchema>;

/** @throws {PalimpsestError} CONFIG_INVALID when it is damaged */
export function readRecord(folder: string): RedisRecord | undefined {
  const path = join(folder, "redis.json");
  if (!existsSync(path)) return undefined;
  try {
    return recordSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (reason) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${path} is damaged: end the redis-server of this folder and remove the file`,
      {
        cause: reason,
      },
    );
  }
}

export function keep(folder: string, record: RedisRecord): RedisRecord {
  writeSecretFile(join(folder, "redis.json"), `${JSON.stringify(record)}\n`);
  return record;
}

/** Returns whether the recorded process is alive and still a redis-server, because process ids are reused. */
export async function isRedisOf(record: RedisRecord): Promise<boolean> {
  if (record.pid === 0 || !isProcessAlive(record.pid)) return false;
  const line = await commandLineOf(record.pid);
  return line.includes("redis-server") && line.includes(`:${record.port}`);
}

/**
 * Reads the command line from /proc on Linux, even where there is no `ps`, as in small containers; empty if it cannot
 * be read.
 */
async function commandLineOf(pid: number): Promise<string> {
  if (process.platform === "linux") return readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  const { stdout } = await promisify(execFile)("ps", ["-o", "args=", "-p", String(pid)], {
    timeout: 2_000,
  }).catch(() => ({ stdout: "" }));
  return stdout;
}

/** Returns the process of the Redis that a head has begun in its folder, while it lives, also after its head's end. */
export async function ownRedisPid(dataDir: string): Promise<number | undefined> {
  const record = readRecord(join(dataDir, "redis"));
  return record !== undefined && (await isRedisOf(record)) ? record.pid : undefined;
}
