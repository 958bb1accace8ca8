/**
 * The output of actors' processes, read from the files that the node keeps.
 *
 * Responsibility: finding the file of a request, its last lines, and following it while its process runs.
 * Not responsible for: writing (output-file.ts), how much is kept (log-folder.ts), or who may read (the server).
 *
 * Invariants:
 * - ACTORLOG-1. Only output files of actors can be read: what is not an actor's id is refused, so that it cannot name
 *   another file.
 * - ACTORLOG-2. A follower gets every byte that was written before the process ended.
 */
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, delay } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

const chunkBytes = 64 * 1024;
const tailBytes = 1024 * 1024;
const pollMs = 200;
const newline = 10;
const idPattern = /^[\w.-]{1,200}$/;

export interface ActorLogsDeps {
  readonly folder: string;
  readonly clock: Clock;
  /** Returns whether that process may still write. */
  readonly isRunning: (actorId: string, incarnation: number) => boolean;
}

export type ActorLogRequest = proto.ReadLogRequest.$Properties;
export type ActorLogChunk = proto.ActorLogChunk.$Properties;

/** Reads an actor's log. @throws {PalimpsestError} NOT_FOUND, INVALID_ARGUMENT */
export async function* readActorLog(
  deps: ActorLogsDeps,
  request: ActorLogRequest,
  signal: AbortSignal,
): AsyncGenerator<ActorLogChunk> {
  const actorId = request.actorId ?? "";
  const tailLines = request.tailLines ?? 0;
  const incarnation = await wantedIncarnation(deps, request, signal);
  if (incarnation === undefined) return;
  const file = await open(join(deps.folder, fileName(actorId, incarnation)), "r");
  try {
    const { size } = await file.stat();
    let offsetBytes = tailLines > 0 ? await startOfTail(file, size, tailLines) : checkedOffset(request);
    for (;;) {
      // This is checked before the file is read, so that what is written until the process ends is read once more after
      // its end.
      const goesOn = request.follow === true && deps.isRunning(actorId, incarnation);
      for (;;) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, offsetBytes);
        if (bytesRead === 0) break;
        yield { data: buffer.subarray(0, bytesRead), offsetBytes, incarnation };
        offsetBytes += bytesRead;
        if (signal.aborted) return;
      }
      if (!goesOn) return;
      await delay(pollMs, signal, deps.clock);
      if (signal.aborted) return;
    }
  } finally {
    await file.close();
  }
}

function fileName(actorId: string, incarnation: number): string {
  return `${actorId}-${incarnation}.log`;
}

/**
 * Returns the incarnation to read; undefined if the light actor has written nothing and there is nothing to wait for.
 */
async function wantedIncarnation(
  { folder, isRunning, clock }: ActorLogsDeps,
  request: ActorLogRequest,
  signal: AbortSignal,
): Promise<number | undefined> {
  const actorId = request.actorId ?? "";
  const incarnation = request.incarnation ?? 0;
  if (!idPattern.test(actorId))
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `actor_id is ${JSON.stringify(actorId)}: give an actor's id`,
    );
  const prefix = `${actorId}-`;
  for (;;) {
    const runs = isRunning(actorId, incarnation);
    const kept = (await readdir(folder)).flatMap((name) => {
      const number = name.startsWith(prefix)
        ? /^(\d+)\.log$/.exec(name.slice(prefix.length))?.[1]
        : undefined;
      return number === undefined ? [] : [Number(number)];
    });
    const found = incarnation === 0 ? Math.max(0, ...kept) : incarnation;
    if (kept.includes(found)) return found;
    if (!runs)
      throw new PalimpsestError(
        "NOT_FOUND",
        `this node keeps no output of actor ${actorId}${incarnation === 0 ? "" : `, incarnation ${incarnation}`}: it ran elsewhere, its file was removed for newer ones, or it shared a process and wrote nothing`,
      );
    if (request.follow !== true) return undefined;
    await delay(pollMs, signal, clock);
    if (signal.aborted) return undefined;
  }
}

function checkedOffset(request: ActorLogRequest): number {
  const offsetBytes = request.offsetBytes ?? 0;
  if (!Number.isSafeInteger(offsetBytes) || offsetBytes < 0)
    throw new PalimpsestError("INVALID_ARGUMENT", `offset_bytes is ${offsetBytes}: it must be 0 or more`);
  return offsetBytes;
}

/** Returns the offset of the last `lines` lines, searched for only in the last part of the file. */
async function startOfTail(file: FileHandle, sizeBytes: number, lines: number): Promise<number> {
  const from = Math.max(0, sizeBytes - tailBytes);
  const part = Buffer.alloc(sizeBytes - from);
  const { bytesRead } = await file.read(part, 0, part.byteLength, from);
  let left = lines;
  // The line end of the last line is skipped, because no line follows it.
  for (let at = bytesRead - 2; at >= 0; at--) {
    if (part[at] !== newline) continue;
    left -= 1;
    if (left === 0) return from + at + 1;
  }
  return from;
}
