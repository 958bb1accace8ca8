/** The record of a node's process, and the check whether it still is that process. */

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isProcessAlive } from "@palimpsest/std";
import { z } from "zod";

const recordSchema = z.object({
  /** 0 until the process has been started. */
  pid: z.int(),
  nodeType: z.string(),
  createdAtMs: z.number(),
});
export type InstanceRecord = z.infer<typeof recordSchema>;

const pathOf = (folder: string) => join(folder, "instance.json");

/** Returns undefined when there is no record or it is damaged. */
export function readRecord(folder: string): InstanceRecord | undefined {
  try {
    const text = readFileSync(pathOf(folder), "utf8");
    return recordSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** @returns false when the name is already taken: when two want it, one gets it */
export function claim(folder: string, record: InstanceRecord): boolean {
  try {
    writeFileSync(pathOf(folder), JSON.stringify(record), { flag: "wx", mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

export function rewrite(folder: string, record: InstanceRecord): void {
  writeFileSync(pathOf(folder), JSON.stringify(record), { mode: 0o600 });
}

/** Returns whether the process is alive and is the node of this name, because process ids are reused. */
export async function isNodeProcess(pid: number, name: string): Promise<boolean> {
  return pid !== 0 && isProcessAlive(pid) && (await commandLineOf(pid)).includes(name);
}

/** Returns "" when it cannot be read, or when the process has ended and waits for its parent. */
async function commandLineOf(pid: number): Promise<string> {
  if (process.platform === "linux") return await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  const { stdout } = await promisify(execFile)("ps", ["-o", "args=", "-p", String(pid)], {
    timeout: 2_000,
  }).catch(() => ({ stdout: "" }));
  return stdout;
}
