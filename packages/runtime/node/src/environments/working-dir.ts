/** Unpacks a working directory that a client packed and the bundle cache has checked against its hash. */

import { chmod, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { makeFolder } from "@palimpsest/std/files";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";

/** The size limit of the unpacked folder, so that a small bundle cannot fill the memory. */
const maxUnpackedBytes = 320 * 1024 * 1024;
const maxFiles = 20_000;

/**
 * Creates `folder` with the files of the packed one.
 * @param options.readOnly whether it must not be written to, because several processes use it
 * @throws {PalimpsestError} INVALID_ARGUMENT for a path that leads out of the folder, or bytes that are not a packed
 * folder; LIMIT_EXCEEDED for more than 20,000 files
 */
export async function unpackWorkingDir(
  packedPath: string,
  folder: string,
  { readOnly = false }: { readonly readOnly?: boolean } = {},
): Promise<void> {
  const files = await readPacked(packedPath);
  if (files.length > maxFiles)
    throw new PalimpsestError(
      "LIMIT_EXCEEDED",
      `working directory has ${files.length} files, more than ${maxFiles}: leave out what is not needed`,
    );
  const bad = files.find(({ path }) => !isInside(path));
  if (bad !== undefined) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `working directory contains ${JSON.stringify(bad.path)}: only relative paths without ".." are allowed`,
    );
  }
  await rm(folder, { recursive: true, force: true });
  makeFolder(folder, 0o700);
  for (const { path, data, executable } of files) {
    const target = join(folder, path);
    makeFolder(dirname(target), 0o700);
    // "wx": a duplicate name is an error, and nothing is written through a link that an earlier entry created.
    const mode = (executable ? 0o700 : 0o600) & (readOnly ? 0o500 : 0o700);
    await writeFile(target, data, { mode, flag: "wx" });
  }
  if (readOnly) await forbidWrites(folder);
}

async function forbidWrites(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await forbidWrites(join(folder, entry.name));
  await chmod(folder, 0o500);
}

interface PackedFile {
  readonly path: string;
  readonly data: Uint8Array;
  readonly executable: boolean;
}

async function readPacked(packedPath: string): Promise<readonly PackedFile[]> {
  try {
    const bytes = await promisify(gunzip)(await readFile(packedPath), { maxOutputLength: maxUnpackedBytes });
    return proto.WorkingDirectory.decode(bytes).files.map(({ path, data, executable }) => ({
      path: path ?? "",
      data: data ?? new Uint8Array(),
      executable: executable ?? false,
    }));
  } catch (reason) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `the working directory cannot be unpacked: ${String(reason)}`,
      {
        cause: reason,
      },
    );
  }
}

function isInside(path: string): boolean {
  const names = path.split("/");
  return !/[\\\0]/.test(path) && names.every((name) => name !== "" && name !== "." && name !== "..");
}
