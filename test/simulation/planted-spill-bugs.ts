/** Planted bugs of objects that are spilled to disk and read back; see planted-bugs.ts. */
import { PalimpsestError } from "@palimpsest/wire";
import { ObjectFiles } from "../../packages/runtime/node/src/objects/store/object-files.js";
import type { ObjectStore } from "../../packages/runtime/node/src/objects/store/object-store.js";
import { SpillFiles } from "../../packages/runtime/node/src/objects/store/spill-files.js";
import type { PlantedBug } from "./planted-bugs.js";
import { ObjectStoreBug, ReportBug } from "./planted-object-bugs.js";
import { MemoryDisk, spillFolder } from "./world/memory-disk.js";
import { Plant } from "./world/plant.js";
import { spillsOf } from "./world/settings.js";

/** A plant that changes a method of all stores for as long as a run lasts, because a store makes its parts itself. */
class MethodBug<Part extends object, Name extends keyof Part> extends Plant {
  readonly #part: Part;
  readonly #name: Name;
  readonly #product: Part[Name];
  readonly #change: (product: Part[Name]) => Part[Name];

  constructor(part: Part, name: Name, change: (product: Part[Name]) => Part[Name]) {
    super();
    this.#part = part;
    this.#name = name;
    this.#product = part[name];
    this.#change = change;
  }

  override begin(): void {
    this.#part[this.#name] = this.#change(this.#product);
  }

  override end(): void {
    this.#part[this.#name] = this.#product;
  }
}

/** A plant that keeps the copy of what was freed while it was written to disk. */
class LateFreeBug extends MethodBug<SpillFiles, "write"> {
  readonly #drop = SpillFiles.prototype.drop;
  readonly #fresh = new Set<string>();

  constructor() {
    super(SpillFiles.prototype, "write", (write) => {
      const fresh = this.#fresh;
      return async function (this: SpillFiles, objectId, ...given) {
        await write.call(this, objectId, ...given);
        fresh.add(objectId);
      };
    });
  }

  override begin(): void {
    super.begin();
    const [drop, fresh] = [this.#drop, this.#fresh];
    SpillFiles.prototype.drop = function (this: SpillFiles, objectId) {
      if (!fresh.has(objectId)) drop.call(this, objectId);
    };
  }

  override end(): void {
    super.end();
    SpillFiles.prototype.drop = this.#drop;
  }

  /** Whoever was not freed in the meantime leaves memory, and is dropped as usual from then on. */
  override objectStore(store: ObjectStore): ObjectStore {
    const present = ({ objectId, spilled }: { objectId: string; spilled: boolean }) =>
      void (spilled && this.#fresh.delete(objectId));
    store.watch({ present, gone() {}, newHolder() {} });
    return store;
  }
}

export const plantedSpillBugs: readonly PlantedBug[] = [
  {
    name: "an object that was spilled is forgotten at once",
    breaks: "STORE-3, REF-1",
    make: () =>
      new ObjectStoreBug((store) => {
        const present = ({ objectId, spilled }: { objectId: string; spilled: boolean }) =>
          void (spilled && store.drop({ objectId, holder: "" }));
        store.watch({ present, gone() {}, newHolder() {} });
      }),
    settings: spillsOf,
  },
  {
    name: "half a file on disk is read back as the object",
    breaks: "SPILL-2, STORE-1",
    make: () =>
      new MethodBug(SpillFiles.prototype, "read", (read) => {
        return async function (this: SpillFiles, objectId, target) {
          await read.call(this, objectId, target).catch((reason: unknown) => {
            if (!PalimpsestError.from(reason).message.includes("shorter")) throw reason;
          });
        };
      }),
    settings: spillsOf,
  },
  {
    name: "the bytes of a spilled object count twice",
    breaks: "SPILL-1",
    make: () =>
      new MethodBug(SpillFiles.prototype, "write", (write) => {
        return async function (this: SpillFiles, ...given) {
          await write.call(this, ...given);
          await write.call(this, ...given);
        };
      }),
    settings: spillsOf,
  },
  {
    name: "the file of a spilled object that was freed stays on disk",
    breaks: "FILES-1, SPILL-1",
    make: () =>
      new MethodBug(ObjectFiles.prototype, "remove", (remove) => {
        return function (this: ObjectFiles, ...given) {
          if (this.folder !== spillFolder) remove.call(this, ...given);
        };
      }),
    settings: spillsOf,
  },
  {
    name: "an object that is freed while it is spilled leaves its copy behind",
    breaks: "FILES-1",
    make: () => new LateFreeBug(),
    settings: spillsOf,
  },
  {
    name: "an object leaves memory before its copy is on disk",
    breaks: "RESIDENCE-1",
    make: () =>
      new MethodBug(SpillFiles.prototype, "write", (write) => {
        return async function (this: SpillFiles, ...given) {
          write.call(this, ...given).catch(() => undefined);
        };
      }),
    settings: spillsOf,
  },
  {
    name: "a node keeps the spilled copies of the one before it",
    breaks: "FILES-1, SPILL-1",
    make: () =>
      new MethodBug(MemoryDisk.prototype, "makeFolder", (makeFolder) => {
        return async function (this: MemoryDisk, folder) {
          if (folder !== spillFolder) await makeFolder.call(this, folder);
        };
      }),
    settings: spillsOf,
  },
  {
    name: "the head does not hear what is spilled",
    breaks: "REPORT-2",
    make: () =>
      new ReportBug((body) => {
        for (const place of body.objectReport?.present ?? []) place.spilled = false;
        return body;
      }),
    settings: spillsOf,
  },
];
