/**
 * Locks a folder for one process of this machine. The lock is a file with the process's id and the time of its start, so
 * that one whose process was killed, or whose id belongs to another process by now, is taken over.
 */
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isProcessAlive } from "@palimpsest/wire";
import { z } from "zod";

const fileName = "running.json";
const ownerSchema = z.object({ pid: z.number(), startedAt: z.string(), host: z.string() });

/** Takes the lock, or returns the process that has it. */
export function lockFolder(folder: string): { readonly heldBy: number } | { release(): void } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, fileName);
  const own = { pid: process.pid, startedAt: startOf(process.pid), host: hostname() };
  // The file is linked rather than created, so that it is never there without its content.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(own)}\n`, { mode: 0o600 });
  try {
    for (;;) {
      try {
        linkSync(draft, path);
        return { release: () => rmSync(path, { force: true }) };
      } catch (reason) {
        if (!(reason instanceof Error && "code" in reason && reason.code === "EEXIST")) throw reason;
      }
      const owner = ownerOf(path);
      if (owner !== undefined && isRunning(owner)) return { heldBy: owner.pid };
      rmSync(path, { force: true });
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

type Owner = z.output<typeof ownerSchema>;

function ownerOf(path: string): Owner | undefined {
  try {
    return ownerSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    // It was released in the meantime, or a full disk left it without content.
    return undefined;
  }
}

/** Process ids of another machine, or of a container that is gone, say nothing here. */
function isRunning({ pid, startedAt, host }: Owner): boolean {
  return host === hostname() && isProcessAlive(pid) && startOf(pid) === startedAt;
}

/** Returns when a process has started, in a unit of the system; empty where the system does not tell. */
function startOf(pid: number): string {
  try {
    // The name of the program stands in parentheses, and may contain spaces; the start is the 22nd field.
    return (
      readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ")[19] ?? ""
    );
  } catch {
    return "";
  }
}
