import { randomBytes } from "node:crypto";
import { closeSync } from "node:fs";
import { open, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClientDuplexStream } from "@grpc/grpc-js";
import {
  errorFromProto,
  grpcNetwork,
  mappingProblem,
  objectsService,
  openMappable,
  PalimpsestError,
  type Peer,
  type RpcServer,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { ByteBudget } from "../base/byte-budget.js";
import { StandingClock } from "../testing/standing-clock.js";
import type { ObjectFetcher } from "./object-fetch.js";
import { ObjectHolds } from "./object-holds.js";
import { ObjectPins } from "./object-pins.js";
import { ObjectRecoveries } from "./object-recoveries.js";
import { createObjectsHandlers } from "./objects-service.js";
import { ObjectStore } from "./store/object-store.js";

/** No program of these tests has a lost result made again. */
const noHead = () => {
  throw new PalimpsestError("UNAVAILABLE", "there is no head");
};

const token = "token-of-the-tests";
const kib = 1024;
let parent: string;
let store: ObjectStore;
let server: RpcServer;
let peer: Peer;
let clock: StandingClock;
/** What was told to other nodes. */
let freed: [readonly string[], string][];
/** Objects about which the head has no answer before these are resolved. */
const searches = new Map<string, Promise<void>>();

beforeEach(async () => {
  parent = testFolder();
  clock = new StandingClock();
  store = await ObjectStore.open({
    folder: join(parent, "objects"),
    inMemory: true,
    maxBytes: 1024 * kib,
    clock,
  });
  freed = [];
  const freeElsewhere = async (objectIds: readonly string[], holder: string) => {
    freed.push([objectIds, holder]);
  };
  const asking = {
    locate: async (objectId: string) => {
      await searches.get(objectId);
      return { addresses: [], complete: true };
    },
    ownAddress: () => "",
    use: async () => {
      throw new PalimpsestError("UNAVAILABLE", "there is no other node");
    },
  };
  const holds = new ObjectHolds({ store, clock, freeElsewhere, ...asking });
  const fetcher = { fetch: async (objectId: string) => store.get(objectId) } as unknown as ObjectFetcher;
  const proof = { path: join(parent, "proof"), text: "proof" };
  await writeFile(proof.path, proof.text);
  const budget = new ByteBudget(1_000_000);
  server = grpcNetwork({ token }).createServer();
  const pins = new ObjectPins(clock);
  const recoveries = new ObjectRecoveries({ head: noHead, send: () => undefined });
  const rest = { onMoved: () => undefined, existing: async (objectIds: readonly string[]) => objectIds };
  server.addService(
    objectsService,
    createObjectsHandlers({
      store,
      fetcher,
      holds,
      proof,
      budget,
      clock,
      freeElsewhere,
      pins,
      recoveries,
      ...rest,
    }),
  );
  peer = grpcNetwork({ token }).connect(await server.listen("127.0.0.1", 0));
});

afterEach(async () => {
  peer.close();
  server.kill();
  await store.close();
});

/** A program's end of a stream. */
class Program {
  readonly #stream: ClientDuplexStream<proto.ObjectOrders.$Properties, proto.ObjectAnswers.$Properties>;
  readonly #waiting = new Map<number, (answer: proto.ObjectAnswer.$Properties) => void>();
  #next = 1;

  constructor() {
    this.#stream = peer.bidi(objectsService.link);
    this.#stream.on("error", () => undefined);
    this.#stream.on("data", ({ answers }: proto.ObjectAnswers.$Properties) => {
      for (const answer of answers ?? []) this.#waiting.get(answer.orderId ?? 0)?.(answer);
    });
  }

  static async open(held: readonly string[] = [], holder = "session-1"): Promise<Program> {
    const program = new Program();
    await program.order({ hello: { holder, objectIds: held.map(bytesOf) } });
    return program;
  }

  async order(order: proto.ObjectOrder.$Properties): Promise<proto.ObjectAnswer.$Properties> {
    const orderId = this.#next++;
    const answer = await new Promise<proto.ObjectAnswer.$Properties>((resolve) => {
      this.#waiting.set(orderId, resolve);
      this.#stream.write({ orders: [{ ...order, orderId }] });
    });
    if (answer.error) throw errorFromProto(answer.error);
    return answer;
  }

  /** Resolves to the next message that answers no order. */
  asked(): Promise<proto.ObjectAnswer.$Properties> {
    return new Promise((resolve) => this.#waiting.set(0, resolve));
  }

  async write(sizeBytes: number, writtenBytes = sizeBytes): Promise<string> {
    const id = newId();
    const { info } = await this.order({ reserve: { objectId: bytesOf(id), sizeBytes } });
    const file = await open(info?.path ?? "", "r+");
    await file.write(Buffer.alloc(writtenBytes, id), 0, writtenBytes, 0);
    await file.close();
    await this.order({ seal: { objectId: bytesOf(id) } });
    return id;
  }

  async store(contains: readonly string[] = []): Promise<string> {
    const id = newId();
    await this.order({
      store: { objectId: bytesOf(id), data: Buffer.from(id), contains: contains.map(bytesOf) },
    });
    return id;
  }

  /** Whether it takes answers. */
  read(reads: boolean): void {
    if (reads) this.#stream.resume();
    else this.#stream.pause();
  }

  leave(): void {
    this.#stream.cancel();
  }
}

const newId = () => randomBytes(20).toString("hex");
const bytesOf = (objectId: string) => Buffer.from(objectId, "hex");
const idsOf = (...objectIds: string[]) => ({ objectIds: objectIds.map(bytesOf) });

describe("a program's stream of values", () => {
  test("a value that it wrote lies under its name, for its user alone, and is read there", async () => {
    const program = await Program.open();
    const id = await program.write(300 * kib);
    const { info } = await program.order({ find: { objectId: bytesOf(id) } });
    expect(info).toMatchObject({ objectId: id, sizeBytes: 300 * kib, path: join(store.folder, id) });
    expect((await stat(info?.path ?? "")).mode & 0o777).toBe(0o600);
    expect((await stat(store.folder)).mode & 0o777).toBe(0o700);
    expect(await readFile(info?.path ?? "")).toEqual(Buffer.alloc(300 * kib, id));
  });

  test("a file of another size is not sealed, and nothing of it stays (SHARED-2)", async () => {
    const program = await Program.open();
    await expect(program.write(2_000, 1_000)).rejects.toThrow(/has 1000 bytes, but 2000 were announced/);
    expect(await readdir(store.folder)).toEqual([]);
    await program.write(1_000 * kib);
  });

  test("orders that name no value, a path or a value of nobody are refused (OBJECTLINK-4)", async () => {
    const program = await Program.open();
    const refused = (order: proto.ObjectOrder.$Properties) => expect(program.order(order)).rejects;
    await refused({ reserve: { objectId: Buffer.from("../../etc/passwd"), sizeBytes: 1 } }).toThrow(
      /not 20 or 32/,
    );
    await refused({ reserve: { objectId: randomBytes(32), sizeBytes: 1 } }).toThrow(/name of a value has 20/);
    await refused({ seal: { objectId: randomBytes(20) } }).toMatchObject({ code: "NOT_FOUND" });
    const other = new Program();
    await expect(other.order({ find: { objectId: randomBytes(20) } })).rejects.toThrow(
      /first order is not hello/,
    );
  });

  test("a store without room says what is in it and which setting would help, and evicts nothing", async () => {
    const program = await Program.open();
    const id = await program.write(700 * kib);
    const full = program.write(600 * kib);
    await expect(full).rejects.toMatchObject({ code: "OBJECT_STORE_FULL" });
    await expect(full).rejects.toThrow(
      /614400 bytes do not fit: of 1048576 bytes 716800 are leased.*objectStoreBytes/,
    );
    expect(store.find(id)).toBeDefined();
  });

  test("what was reserved and not sealed goes with the stream (OBJECTLINK-3, SHARED-1)", async () => {
    const program = await Program.open();
    await program.order({ reserve: { objectId: randomBytes(20), sizeBytes: 1_000 * kib } });
    expect(await readdir(store.folder)).toHaveLength(1);
    program.leave();
    await expect.poll(() => readdir(store.folder)).toEqual([]);
    await (await Program.open()).write(1_000 * kib);
  });

  test("room ahead of need is a part of the store, and ends when others need it or after a while (STOREROOM-4)", async () => {
    const program = await Program.open();
    const ahead = async (sizeBytes: number) => {
      const id = newId();
      const { info } = await program.order({ reserve: { objectId: bytesOf(id), sizeBytes, ahead: true } });
      return { id, path: info?.path ?? "" };
    };
    const [one, none, other] = [await ahead(40 * kib), await ahead(30 * kib), await ahead(20 * kib)];
    expect([one.path, none.path, other.path].map((path) => path !== "")).toEqual([true, false, true]);
    await writeFile(one.path, Buffer.alloc(40 * kib));
    await program.order({ seal: { objectId: bytesOf(one.id) } });
    expect(store.storedBytes).toBe(40 * kib);
    await program.write(984 * kib);
    await expect(program.order({ seal: { objectId: bytesOf(other.id) } })).rejects.toMatchObject({
      code: "OBJECT_LOST",
    });
    await program.order({ release: idsOf(...store.heldBy("session-1")) });
    const late = await ahead(40 * kib);
    clock.advance(10_000);
    await expect(program.order({ seal: { objectId: bytesOf(late.id) } })).rejects.toMatchObject({
      code: "OBJECT_LOST",
    });
    expect((await ahead(64 * kib)).path).not.toBe("");
    program.leave();
    clock.advance(30_000);
    await expect.poll(() => readdir(store.folder)).toEqual([]);
  });

  test("a release that does not wait for the answer to its seal comes after it (OBJECTLINK-2)", async () => {
    const program = await Program.open();
    const id = newId();
    const { info } = await program.order({ reserve: { objectId: bytesOf(id), sizeBytes: 10 } });
    await writeFile(info?.path ?? "", "0123456789");
    const sealed = program.order({ seal: { objectId: bytesOf(id) } });
    await Promise.all([sealed, program.order({ release: idsOf(id) })]);
    expect(store.size).toBe(0);
  });

  test("a file that is written again is no longer under the name that its readers know (SEGMENT-1)", async () => {
    const program = await Program.open();
    const id = await program.write(700 * kib);
    const reader = await open(join(store.folder, id));
    const { ino } = await reader.stat();
    await program.order({ release: idsOf(id) });
    const again = await program.write(600 * kib);
    expect((await stat(join(store.folder, again))).ino).toBe(ino);
    await expect(stat(join(store.folder, id))).rejects.toThrow(/ENOENT/);
    await reader.close();
    expect(store.storedBytes).toBe(600 * kib);
  });

  test.skipIf(mappingProblem() !== "")(
    "programs are asked to unmap what they dropped while a value waits for it (STOREROOM-2)",
    async () => {
      const program = await Program.open();
      const id = await program.write(700 * kib);
      const file = openMappable(join(store.folder, id));
      if (file === undefined) throw new Error("not locked");
      await program.order({ release: idsOf(id) });
      const asked = program.asked();
      const waits = program.write(700 * kib);
      expect(await asked).toMatchObject({ orderId: 0, unmapUnused: true });
      closeSync(file.descriptor);
      clock.advance(100);
      await waits;
    },
  );

  test.skipIf(mappingProblem() !== "")(
    "a value of a program that has ended does not wait for room (OBJECTLINK-3, STOREROOM-6)",
    async () => {
      const program = await Program.open();
      const id = await program.write(700 * kib);
      const file = openMappable(join(store.folder, id));
      if (file === undefined) throw new Error("not locked");
      await program.order({ release: idsOf(id) });
      onTestFinished(() => closeSync(file.descriptor));
      // Nobody has room ahead of need while a value waits.
      const hasRoom = async () => (await store.reserveAhead(kib, "session-2", newId())) !== undefined;
      const other = await Program.open([], "session-2");
      void other.order({ reserve: { objectId: randomBytes(20), sizeBytes: 700 * kib } });
      await expect.poll(hasRoom).toBe(false);
      other.leave();
      await expect.poll(hasRoom).toBe(true);
    },
  );

  test("a freed file that nobody takes over is removed after a while (SEGMENT-2)", async () => {
    const program = await Program.open();
    await program.order({ release: idsOf(await program.write(700 * kib)) });
    expect(await readdir(store.folder)).toHaveLength(1);
    clock.advance(30_000);
    await expect.poll(() => readdir(store.folder)).toEqual([]);
  });

  test("what a program let go of while its stream was away is let go of by the next one (OBJECTLINK-1)", async () => {
    const program = await Program.open();
    const [kept, dropped] = [await program.store(), await program.store()];
    program.leave();
    await Program.open([kept]);
    expect([store.find(kept), store.find(dropped)].map((found) => found !== undefined)).toEqual([
      true,
      false,
    ]);
    await Program.open([], "session-2");
    expect(store.find(kept)).toBeDefined();
  });

  test("a value that its program withdrew is not kept when its bytes come later (STORE-7)", async () => {
    const program = await Program.open();
    const [uploaded, small, stored] = [newId(), newId(), await program.store()];
    const { stream, response } = peer.clientStream(objectsService.put, { timeoutMs: 600_000 });
    const first = { sizeBytes: 4, holder: "session-1", valueId: bytesOf(uploaded) };
    stream.write({ ...first, data: Buffer.from("ab") });
    await program.order({ withdraw: idsOf(uploaded, small, stored) });
    stream.end({ data: Buffer.from("cd") });
    await expect(response).rejects.toThrow(/was freed while it was stored/);
    await program.order({ store: { objectId: bytesOf(small), data: Buffer.from("late") } });
    expect(store.heldBy("session-1")).toEqual([]);
    expect([...store.places()]).toEqual([]);
    expect(await readdir(store.folder)).toEqual([]);
  });

  test("what a value refers to stays as long as the value, however deep (HOLDS-1)", async () => {
    const program = await Program.open();
    const chain = [await program.store()];
    for (let depth = 0; depth < 300; depth++) chain.push(await program.store([chain.at(-1) ?? ""]));
    const last = chain.at(-1) ?? "";
    await program.order({ release: idsOf(...chain.slice(0, -1)) });
    expect(store.size).toBe(chain.length);
    await program.order({ release: idsOf(last) });
    expect(store.size).toBe(0);
    const value = newId();
    const lost = program.order({ store: { objectId: bytesOf(value), contains: [randomBytes(20)] } });
    await expect(lost).rejects.toMatchObject({ code: "OBJECT_LOST" });
    expect(store.find(value)).toBeUndefined();
  });

  test("holds and releases are carried out in their order (OBJECTLINK-2)", async () => {
    const program = await Program.open();
    const other = await Program.open([], "session-2");
    const id = await program.store();
    // The hold waits for other nodes about what is not here; the release after it waits for the hold.
    const missing = newId();
    const asked = vi.spyOn(searches, "get");
    const others = [other.order({ hold: idsOf(missing, id) }), other.order({ release: idsOf(id) })];
    // Orders of two programs come in any order: the owner lets go of the object once the hold has come.
    await expect.poll(() => asked.mock.calls.flat()).toContain(missing);
    await program.order({ release: idsOf(id) });
    const [held] = await Promise.all(others);
    expect((held?.objectIds ?? []).map((one) => Buffer.from(one).toString("hex"))).toEqual([missing]);
    await expect.poll(() => store.size).toBe(0);
  });

  test("an object that is looked for everywhere delays no other, and its own release comes after its hold (OBJECTLINK-2)", async () => {
    const program = await Program.open();
    const other = await Program.open([], "session-2");
    const [missing, id] = [newId(), await program.store()];
    let found: () => void = () => undefined;
    searches.set(missing, new Promise((resolve) => (found = resolve)));
    const done: string[] = [];
    const note = (what: string) => () => void done.push(what);
    const searched = other.order({ hold: idsOf(missing) }).then(note("searched"));
    const letGo = other.order({ release: idsOf(missing) }).then(note("released"));
    expect(await other.order({ hold: idsOf(id) })).not.toHaveProperty("error", expect.anything());
    await program.order({ release: idsOf(id) });
    expect(store.find(id)).toBeDefined();
    expect(done).toEqual([]);
    found();
    await Promise.all([searched, letGo]);
    expect(done).toEqual(["searched", "released"]);
  });

  test("a program that does not read gets no more values read for it than a bound, and all of them once it reads (ANSWERS-1, ANSWERS-2)", async () => {
    const program = await Program.open();
    const id = newId();
    const data = Buffer.alloc(100 * kib, "x");
    await program.order({ store: { objectId: bytesOf(id), data } });
    const reads = vi.spyOn(store, "smallBytes");
    program.read(false);
    const asked = 300;
    const found = Array.from({ length: asked }, () => program.order({ find: { objectId: bytesOf(id) } }));
    await expect.poll(() => reads.mock.calls.length).toBeGreaterThanOrEqual(40);
    // Whatever the node would still do for the first program it has done when it has answered this one again and again.
    const other = await Program.open([], "session-2");
    for (let turn = 0; turn < 50; turn++) await other.order({ exist: idsOf(id) });
    expect(reads.mock.calls.length).toBeLessThan(asked / 2);
    program.read(true);
    const answers = await Promise.all(found);
    expect(answers.every((answer) => data.equals(answer.data ?? new Uint8Array()))).toBe(true);
  });
});
