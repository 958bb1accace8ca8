/**
 * Responsibility: the file system under one node's object store, in memory and in virtual time; checks what the store
 *   promises of its files: STORE-1 and STORE-2.
 * Not responsible for: files of other nodes and of earlier lives of this one, since a store begins with an empty
 * folder.
 */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import type {
  ObjectDisk,
  ObjectFile,
  OpenedObject,
  PlacedFile,
} from "../../../packages/node/src/object-disk.js";
import { isValueId } from "../../../packages/node/src/stored-object.js";
import type { SimProcess } from "./process.js";
import { Random } from "./random.js";
import type { World } from "./world.js";

interface MemoryFile {
  readonly createdMs: number;
  readonly parts: Uint8Array[];
  sizeBytes: number;
}

export class MemoryDisk implements ObjectDisk {
  readonly #world: World;
  readonly #process: SimProcess;
  readonly #maxBytes: number;
  readonly #random: Random;
  readonly #files = new Map<string, MemoryFile>();

  constructor(world: World, process: SimProcess, maxBytes: number) {
    this.#world = world;
    this.#process = process;
    this.#maxBytes = maxBytes;
    this.#random = new Random(`${world.seed}/${process.name}/disk`);
  }

  /** Returns the names of files that are at least this old; younger ones may belong to a running transfer. */
  names(agoMs: number): string[] {
    const beforeMs = this.#world.scheduler.nowMs - agoMs;
    const old = [...this.#files].filter(([, { createdMs }]) => createdMs <= beforeMs);
    return old.map(([path]) => basename(path));
  }

  async makeFolder(): Promise<void> {
    this.#files.clear();
  }

  async removeFolder(): Promise<void> {
    this.#files.clear();
  }

  async create(path: string): Promise<ObjectFile> {
    await this.#work();
    const file: MemoryFile = { createdMs: this.#world.scheduler.nowMs, parts: [], sizeBytes: 0 };
    this.#files.set(path, file);
    return {
      write: async (data, offset) => {
        await this.#work();
        if (this.#random.chance(0.002)) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
        // The data is copied, because the caller may reuse its buffer.
        file.parts.push(Uint8Array.prototype.slice.call(data, offset));
        file.sizeBytes += data.byteLength - offset;
        this.#checkSize();
        return { bytesWritten: data.byteLength - offset };
      },
      close: async () => undefined,
    };
  }

  async openToWrite(): Promise<PlacedFile> {
    throw new Error("the network of the simulation has no bulk connections");
  }

  async open(path: string): Promise<OpenedObject> {
    await this.#work();
    const file = this.#files.get(path);
    if (file === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" });
    const bytes = Buffer.concat(file.parts);
    return {
      read: async (buffer, offset, length, position) => ({
        bytesRead: bytes.copy(buffer, offset, position, position + length),
      }),
      close: async () => undefined,
    };
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#work();
    const file = this.#files.get(from);
    if (file === undefined) throw Object.assign(new Error(`ENOENT: ${from}`), { code: "ENOENT" });
    this.#files.delete(from);
    this.#files.set(to, file);
    // The file of a removed object is kept under a temporary name until another object is written over it.
    if (to.endsWith(".free")) return;
    const hash = createHash("sha256");
    for (const part of file.parts) hash.update(part);
    const sha256 = hash.digest("hex");
    // Files that are kept for reuse belong to no object.
    const isObject = !isValueId(basename(to)) && !to.endsWith(".free");
    if (isObject && sha256 !== basename(to)) {
      this.#world.records.violation(
        "STORE-1",
        `${this.#process.name} keeps as ${to} what hashes to ${sha256}`,
      );
    }
  }

  async remove(path: string): Promise<void> {
    await this.#work();
    this.#files.delete(path);
  }

  async sizeOf(path: string): Promise<number | undefined> {
    await this.#work();
    return this.#files.get(path)?.sizeBytes;
  }

  async resize(): Promise<void> {
    throw new Error("programs of the simulation do not write into a node's files");
  }

  async linksOf(path: string): Promise<number> {
    await this.#work();
    return this.#files.has(path) ? 1 : 0;
  }

  /** Returns false, because the nodes of the simulation run on separate machines. */
  async adopt(): Promise<boolean> {
    return false;
  }

  /** STORE-2: counts files and what is being written. */
  #checkSize(): void {
    let sizeBytes = 0;
    for (const file of this.#files.values()) sizeBytes += file.sizeBytes;
    if (sizeBytes <= this.#maxBytes) return;
    const text = `${this.#process.name} has ${sizeBytes} bytes of objects on its disk, and may have ${this.#maxBytes}`;
    this.#world.records.violation("STORE-2", text);
  }

  /** Takes less than a millisecond, and occasionally as long as on a busy disk. */
  #work(): Promise<void> {
    const slow = this.#random.chance(0.03) ? 300 : 1;
    const delayMs = this.#random.between(0.02, slow);
    return new Promise((resolve) => this.#world.scheduler.after(delayMs, this.#process, resolve));
  }
}
