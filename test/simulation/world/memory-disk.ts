/**
 * Responsibility: the file system under one node's object store, in memory and in virtual time: a folder for objects,
 *   as fast as memory, and one for spilled copies, as slow as a disk, which may be full and may lose the end of a file.
 *   Programs have some of the objects' files mapped for a while. It checks what the store promises of its files: STORE-1,
 *   STORE-2, SEGMENT-4 and SPILL-1.
 * Not responsible for: files of other nodes. Those of earlier nodes on the machine are there until the folder is emptied.
 */
import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import type {
  ObjectDisk,
  ObjectFile,
  OpenedObject,
  PlacedFile,
} from "../../../packages/runtime/node/src/objects/store/object-disk.js";
import { isValueId } from "../../../packages/runtime/node/src/objects/store/stored-object.js";
import type { SimNode } from "./node.js";
import { Random } from "./random.js";
import type { World } from "./world.js";

export const objectFolder = "/nowhere/objects";
export const spillFolder = "/nowhere/spill";

/** Programs map larger files than real ones do. */
const leastMappedBytes = 64 * 1024;

interface MemoryFile {
  readonly createdMs: number;
  parts: Uint8Array[];
  /** The number of bytes that were written, even if some of them were lost later. */
  sizeBytes: number;
  /** Until this time a program has it mapped. */
  mappedUntilMs: number;
}

/** The files of a machine by path. */
export type MachineFiles = Map<string, MemoryFile>;

export class MemoryDisk implements ObjectDisk {
  readonly #world: World;
  readonly #node: SimNode;
  readonly #random: Random;
  readonly #maps: Random;
  readonly #files: MachineFiles;
  /** The object that was opened last. A node opens what it is about to spill. */
  #lastOpened = "";
  /** Until this time nothing can be written to the folder of spilled copies. */
  fullUntilMs = 0;

  constructor(world: World, node: SimNode) {
    this.#world = world;
    this.#node = node;
    this.#random = new Random(`${world.seed}/${node.nodeId}/disk`);
    this.#maps = new Random(`${world.seed}/${node.nodeId}/maps`);
    this.#files = world.files.get(node.machine) ?? new Map();
    world.files.set(node.machine, this.#files);
  }

  /** Returns the names of files that are at least this old; younger ones may belong to a running transfer. */
  names(folder: string, agoMs: number): string[] {
    const beforeMs = this.#world.scheduler.nowMs - agoMs;
    const old = [...this.#files].filter(
      ([path, { createdMs }]) => dirname(path) === folder && createdMs <= beforeMs,
    );
    return old.map(([path]) => basename(path));
  }

  /** Returns the number of bytes that were written to the files of the folder. */
  bytesIn(folder: string): number {
    let sizeBytes = 0;
    for (const [path, file] of this.#files) if (dirname(path) === folder) sizeBytes += file.sizeBytes;
    return sizeBytes;
  }

  /** Returns the number of bytes that were written to the file of a spilled copy; undefined if there is none. */
  spilledSize(objectId: string): number | undefined {
    return this.#files.get(`${spillFolder}/${objectId}`)?.sizeBytes;
  }

  readonly isInMemory = true;

  canMapIn(): boolean {
    return true;
  }

  isUnmapped(path: string): boolean {
    return !this.#isMapped(this.#files.get(path));
  }

  async makeFolder(folder: string): Promise<void> {
    for (const path of this.#files.keys()) if (dirname(path) === folder) this.#delete(path);
  }

  async removeFolder(folder: string): Promise<void> {
    await this.makeFolder(folder);
  }

  async create(path: string): Promise<ObjectFile> {
    const isSpill = dirname(path) === spillFolder;
    if (isSpill) this.#world.onSpill?.(this.#node, this.#lastOpened);
    await this.#work(path);
    const file: MemoryFile = {
      createdMs: this.#world.scheduler.nowMs,
      parts: [],
      sizeBytes: 0,
      mappedUntilMs: 0,
    };
    this.#files.set(path, file);
    return {
      write: async (data, offset) => {
        await this.#work(path);
        const isFull = isSpill && this.#world.scheduler.nowMs < this.fullUntilMs;
        if (isFull || this.#random.chance(0.002))
          throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
        // The data is copied, because the caller may reuse its buffer.
        file.parts.push(Uint8Array.prototype.slice.call(data, offset));
        file.sizeBytes += data.byteLength - offset;
        this.#checkSize(dirname(path));
        return { bytesWritten: data.byteLength - offset };
      },
      close: async () => undefined,
    };
  }

  async openToWrite(): Promise<PlacedFile> {
    throw new Error("the network of the simulation has no bulk connections");
  }

  async open(path: string): Promise<OpenedObject> {
    await this.#work(path);
    const file = this.#files.get(path);
    if (file === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" });
    const bytes = Buffer.concat(file.parts);
    if (dirname(path) === objectFolder) this.#lastOpened = basename(path);
    return {
      read: async (buffer, offset, length, position) => {
        if (dirname(path) === spillFolder) await this.#work(path);
        return { bytesRead: bytes.copy(buffer, offset, position, position + length) };
      },
      close: async () => undefined,
    };
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#work(to);
    const file = this.#files.get(from);
    if (file === undefined) throw Object.assign(new Error(`ENOENT: ${from}`), { code: "ENOENT" });
    this.#delete(from);
    this.#files.set(to, file);
    // The file of a removed object is kept under a temporary name until another object is written over it.
    if (to.endsWith(".free")) return;
    if (dirname(to) === spillFolder && this.#random.chance(0.1)) this.#loseEnd(to, file);
    if (dirname(to) === objectFolder && this.#maps.chance(0.2)) this.#map(to, file);
    const hash = createHash("sha256");
    for (const part of file.parts) hash.update(part);
    const sha256 = hash.digest("hex");
    // Files that are kept for reuse belong to no object.
    const isObject = !isValueId(basename(to)) && !to.endsWith(".free");
    if (isObject && sha256 !== basename(to)) {
      this.#world.records.violation(
        "STORE-1",
        `${this.#node.nodeId} keeps as ${to} what hashes to ${sha256}`,
      );
    }
  }

  async remove(path: string): Promise<void> {
    await this.#work(path);
    if (this.#isMapped(this.#files.get(path)))
      this.#world.records.violation("SEGMENT-4", `${this.#node.nodeId} removes ${path}, which is mapped`);
    this.#delete(path);
  }

  async sizeOf(path: string): Promise<number | undefined> {
    await this.#work(path);
    return this.#files.get(path)?.sizeBytes;
  }

  async resize(): Promise<void> {
    throw new Error("programs of the simulation do not write into a node's files");
  }

  async linksOf(path: string): Promise<number> {
    await this.#work(path);
    return this.#files.has(path) ? 1 : 0;
  }

  /** Returns false, because the nodes of the simulation run on separate machines. */
  async adopt(): Promise<boolean> {
    return false;
  }

  #delete(path: string): void {
    this.#files.delete(path);
    if (dirname(path) === spillFolder) this.#world.objects.spillFileGone(this.#node, basename(path));
  }

  #isMapped(file: MemoryFile | undefined): boolean {
    return file !== undefined && file.mappedUntilMs > this.#world.scheduler.nowMs;
  }

  /** Has a program map an object's file at some later time, by its name. Small ones are copied. */
  #map(path: string, file: MemoryFile): void {
    if (file.sizeBytes < leastMappedBytes) return;
    const forMs = this.#maps.between(0, 60_000);
    const { scheduler } = this.#world;
    scheduler.after(this.#maps.between(0, 30_000), undefined, () => {
      if (this.#files.get(path) !== file || this.#world.calm) return;
      file.mappedUntilMs = scheduler.nowMs + forMs;
      this.#world.records.counts.mapped++;
    });
  }

  /** Loses the end of a spilled copy at some later time, as a disk that failed does. */
  #loseEnd(path: string, file: MemoryFile): void {
    const world = this.#world;
    const keptShare = this.#random.float();
    world.scheduler.after(this.#random.between(0, 30_000), undefined, () => {
      if (world.calm || this.#files.get(path) !== file) return;
      const bytes = Buffer.concat(file.parts);
      file.parts = [bytes.subarray(0, Math.floor(bytes.byteLength * keptShare))];
      world.records.counts.damaged++;
      world.objects.damaged(this.#node, basename(path));
    });
  }

  /** STORE-2 and SPILL-1: counts files and what is being written. */
  #checkSize(folder: string): void {
    const { objectStoreBytes, objectSpillBytes } = this.#world.settings;
    const isSpill = folder === spillFolder;
    const maxBytes = isSpill ? objectSpillBytes : objectStoreBytes;
    const sizeBytes = this.bytesIn(folder);
    if (sizeBytes <= maxBytes) return;
    const text = `${this.#node.nodeId} has ${sizeBytes} bytes in ${folder}, and may have ${maxBytes}`;
    this.#world.records.violation(isSpill ? "SPILL-1" : "STORE-2", text);
  }

  /** Takes less than a millisecond in memory, tens on a disk, and occasionally as long as on a busy one. */
  #work(path: string): Promise<void> {
    const isSpill = dirname(path) === spillFolder;
    const [usual, busy] = isSpill ? [20, 3_000] : [1, 300];
    const delayMs = this.#random.between(0.02, this.#random.chance(0.03) ? busy : usual);
    return new Promise((resolve) => this.#world.scheduler.after(delayMs, this.#node.process, resolve));
  }
}
