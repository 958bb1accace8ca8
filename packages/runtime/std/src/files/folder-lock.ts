/**
 * Responsibility: one process at a time works under a path, across processes, containers and machines that share a file
 * system.
 * Not responsible for: what is done there.
 *
 * Invariants:
 * - FOLDERLOCK-1. `PATH.lock` names its holder: process id, start of the process, machine. A holder renews the file while
 *   it works.
 * - FOLDERLOCK-2. A lock is taken over when its process has ended: on the same machine and in the same container by the
 *   process id and its start, so that another process with the same id does not count; elsewhere when it was not
 *   renewed for `staleMs`.
 * - FOLDERLOCK-3. Nobody waits longer than `waitMs`; the error names the holder and the file.
 *
 * It needs no hard links and no rename, which some file systems do not have.
 */

import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { open, readFile, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { z } from "zod";
import { delay } from "../delay.js";
import { isProcessAlive } from "../process-alive.js";

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** The longest wait for another holder in milliseconds; absent: as long as it works. */
  readonly waitMs?: number;
  /**
   * Makes the error of one who has waited too long.
   * @param holder such as `process 12 on box, since 2026-01-31T10:00:00.000Z`
   * @param lock path of the lock's file
   */
  readonly locked: (holder: string, lock: string) => Error;
  /** Called once if another holder has the lock. */
  readonly onWait?: (holder: string) => void;
  /** For tests. */
  readonly timing?: Partial<Timing>;
}

interface Timing {
  readonly pollMs: number;
  readonly renewMs: number;
  readonly staleMs: number;
}

const usualTiming: Timing = { pollMs: 100, renewMs: 2000, staleMs: 10_000 };

const holderSchema = z.object({
  id: z.string(),
  pid: z.int().positive(),
  machine: z.string(),
  /** When the process started, in the words of its machine; absent where the machine does not tell. */
  started: z.string().optional(),
  since: z.string(),
});
type Holder = z.infer<typeof holderSchema>;

/**
 * Runs `work` while nobody else runs work under the same path.
 * @throws {Error} of `locked` after `waitMs`; the signal's reason; errors of the file system
 */
export async function withFolderLock<T>(
  folder: string,
  options: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const path = `${folder}.lock`;
  const timing = { ...usualTiming, ...options.timing };
  const own = await takeInTime(path, options, timing);
  const renewal = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, timing.renewMs);
  renewal.unref();
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    // If it was taken over, it is another's.
    if ((await read(path)) === own) await rm(path, { force: true });
  }
}

/** Returns the content of the lock, which nobody else's has. */
async function takeInTime(path: string, options: LockOptions, timing: Timing): Promise<string> {
  const { signal, waitMs = Number.POSITIVE_INFINITY, onWait } = options;
  const own = JSON.stringify(await thisHolder());
  const startedAtMs = performance.now();
  let told = false;
  /** The lock as it was when it last changed, and when that was seen, by this process's clock. */
  let seen = { said: "", renewedAtMs: 0, atMs: startedAtMs };
  for (;;) {
    signal?.throwIfAborted();
    if (await create(path, own)) return own;
    const said = await read(path);
    const renewedAtMs = (await stat(path).catch(() => undefined))?.mtimeMs;
    // It was released in the meantime.
    if (said === undefined || renewedAtMs === undefined) continue;
    const nowMs = performance.now();
    if (said !== seen.said || renewedAtMs !== seen.renewedAtMs) seen = { said, renewedAtMs, atMs: nowMs };
    const holder = holderOf(said);
    const ended = holder === undefined ? undefined : await hasEnded(holder);
    if (ended === true || (ended === undefined && nowMs - seen.atMs >= timing.staleMs)) {
      await removeIfStill(path, said);
      continue;
    }
    const who =
      holder === undefined
        ? "another process"
        : `process ${holder.pid} on ${holder.machine.split(" ", 1)[0]}, since ${holder.since}`;
    if (!told) onWait?.(who);
    told = true;
    if (nowMs - startedAtMs >= waitMs) throw options.locked(who, path);
    await delay(timing.pollMs, signal);
  }
}

async function create(path: string, own: string): Promise<boolean> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, "wx", 0o600);
  } catch (reason) {
    if (codeOf(reason) === "EEXIST") return false;
    throw reason;
  }
  try {
    await file.writeFile(own);
    return true;
  } catch (reason) {
    await rm(path, { force: true });
    throw reason;
  } finally {
    await file.close();
  }
}

/** Removes an abandoned lock. A guard keeps two processes from removing it, the second of them the lock of the first. */
async function removeIfStill(path: string, said: string): Promise<void> {
  const guard = `${path}-removal`;
  if (!(await create(guard, ""))) {
    const left = await stat(guard).catch(() => undefined);
    // Removing takes milliseconds, so an old guard is left from a process that was killed.
    if (left !== undefined && Date.now() - left.mtimeMs > 60_000) await rm(guard, { force: true });
    await delay(5);
    return;
  }
  try {
    if ((await read(path)) === said) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

/** Returns undefined if there is no file. */
async function read(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (reason) {
    if (codeOf(reason) === "ENOENT") return undefined;
    throw reason;
  }
}

const codeOf = (reason: unknown) => (reason instanceof Error && "code" in reason ? reason.code : undefined);

/** Returns undefined for a file that is being written, or that another program or version wrote. */
function holderOf(said: string): Holder | undefined {
  try {
    return holderSchema.safeParse(JSON.parse(said)).data;
  } catch {
    return undefined;
  }
}

async function thisHolder(): Promise<Holder> {
  const started = await startOf(process.pid);
  return {
    id: randomUUID(),
    pid: process.pid,
    machine: machine(),
    ...(started === undefined ? {} : { started }),
    since: new Date().toISOString(),
  };
}

/** Returns whether a holder's process has ended; undefined if that cannot be known here. */
async function hasEnded({ pid, machine: where, started }: Holder): Promise<boolean | undefined> {
  if (where !== machine()) return undefined;
  if (!isProcessAlive(pid)) return true;
  const now = await startOf(pid);
  return started === undefined || now === undefined ? undefined : now !== started;
}

/** Names the machine, its present run, and the container, since each container counts its own process ids. */
function machine(): string {
  const parts = [
    () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
    () => readlinkSync("/proc/self/ns/pid"),
  ];
  const known = parts.map((part) => {
    try {
      return part();
    } catch {
      return "";
    }
  });
  return [hostname(), ...known].join(" ").trim();
}

/** Returns when a process started, in clock ticks since the machine did; undefined where /proc does not tell. */
async function startOf(pid: number): Promise<string | undefined> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  // The program's name, in parentheses, may contain spaces and parentheses.
  return status?.slice(status.lastIndexOf(")") + 2).split(" ")[19];
}
