import { readdir, readFile, truncate } from "node:fs/promises";
import { sha256Of, systemClock } from "@palimpsest/std";
import { grpcNetwork, PalimpsestError, type Peer } from "@palimpsest/wire";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { FakeHead } from "../testing/fake-head.js";
import { quiet } from "../testing/fixture.js";
import { BundleCache, type BundleCacheDeps } from "./bundle-cache.js";

let head: FakeHead;
let peer: Peer;
let folder: string;

beforeEach(async () => {
  head = await FakeHead.start();
  peer = grpcNetwork({ token: head.token }).connect(head.address);
  folder = testFolder();
});

afterEach(() => {
  peer.close();
  head.kill();
});

function cache(over: Partial<BundleCacheDeps> = {}): BundleCache {
  return new BundleCache({
    folder,
    head: () => peer,
    installation: { linkInto: () => Promise.resolve() },
    signal: new AbortController().signal,
    retryForMs: 60_000,
    maxBytes: 1_000_000,
    clock: systemClock,
    logger: quiet,
    ...over,
  });
}

const bundle = (text: string) => head.addBundle(Buffer.from(text));

describe("BundleCache", () => {
  test("BUNDLE-3: a head killed 50 times at the moment of a download fails none of them", async () => {
    const bundles = cache();
    const port = Number(head.address.split(":")[1]);
    for (let round = 0; round < 50; round++) {
      const text = `export default ${round};`;
      const dying = head;
      const died = new Promise<void>((resolve) => {
        dying.onGetBundle = () => {
          dying.kill();
          resolve();
        };
      });
      const path = bundles.fileOf(sha256Of(text), "program");
      await died;
      head = await FakeHead.start(port);
      bundle(text);
      expect(await readFile(await path, "utf8")).toBe(text);
    }
  });

  test("BUNDLE-3: a head that stays away longer than the limit fails the download as UNAVAILABLE", async () => {
    head.kill();
    const failed = cache({ retryForMs: 200 }).fileOf("a".repeat(64), "program");
    await expect(failed).rejects.toMatchObject({ code: "UNAVAILABLE", retryable: true });
  });

  test("a bundle that the head does not have fails at once", async () => {
    await expect(cache().fileOf("a".repeat(64), "program")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("BUNDLE-5: a head that has just taken over may get the bundle yet", async () => {
    let asked = 0;
    let sha256 = sha256Of("late");
    head.onGetBundle = () => {
      if (++asked === 3) sha256 = bundle("late");
    };
    const path = await cache({ headRecovers: () => true }).fileOf(sha256, "program");
    expect(await readFile(path, "utf8")).toBe("late");
    expect(asked).toBe(3);
    const over = cache({ headRecovers: () => ++asked < 6 }).fileOf("b".repeat(64), "program");
    await expect(over).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("BUNDLE-1: a file that a power loss cut short is downloaded again", async () => {
    const sha256 = bundle("export default 1;");
    const path = await cache().fileOf(sha256, "program");
    await truncate(path, 3);
    expect(await readFile(await cache().fileOf(sha256, "program"), "utf8")).toBe("export default 1;");
  });

  test("BUNDLE-2: two that need a bundle at once share one download", async () => {
    const sha256 = bundle("shared");
    let downloads = 0;
    head.onGetBundle = () => void downloads++;
    const bundles = cache();
    await Promise.all([bundles.fileOf(sha256, "recipe"), bundles.fileOf(sha256, "recipe")]);
    expect(downloads).toBe(1);
  });

  test("a folder that could not be prepared is tried again with the next bundle", async () => {
    const sha256 = bundle("text");
    let attempts = 0;
    const linkInto = async () => {
      if (++attempts === 1) throw new Error("the disk is full");
    };
    const bundles = cache({ installation: { linkInto } });
    await expect(bundles.fileOf(sha256, "program")).rejects.toThrow("the disk is full");
    expect(await readFile(await bundles.fileOf(sha256, "program"), "utf8")).toBe("text");
  });

  test("a caller that does not want the bundle any more does not wait for it", async () => {
    head.kill();
    const abort = new AbortController();
    const waiting = cache().fileOf("a".repeat(64), "program", abort.signal);
    abort.abort(new PalimpsestError("CANCELLED", "it was stopped"));
    await expect(waiting).rejects.toMatchObject({ code: "CANCELLED", rawMessage: "it was stopped" });
  });

  test("BUNDLE-4: above the bound the longest unused files of an earlier process are removed", async () => {
    const earlier = cache();
    await earlier.fileOf(bundle("x".repeat(600)), "program");
    await earlier.fileOf(bundle("y".repeat(600)), "program");
    const fresh = bundle("z".repeat(600));
    await cache({ maxBytes: 700 }).fileOf(fresh, "program");
    expect(await readdir(folder)).toEqual([`${fresh}.mjs`]);
  });
});
