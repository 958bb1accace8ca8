import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Of } from "@palimpsest/std";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { Bundles } from "./bundles.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function textOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of source) text += Buffer.from(chunk).toString();
  return text;
}

describe("Bundles", () => {
  it("stores bytes under their hash, whatever the chunks, readable by the owner only", async () => {
    const bundles = new Bundles(folder, 1_000);
    const stored = await bundles.put(chunks("con", "sole", ""));
    expect(stored).toEqual({ sha256: sha256Of("console"), sizeBytes: 7 });
    expect(await textOf(bundles.read(stored.sha256))).toBe("console");
    expect(await bundles.putText("console")).toEqual(stored);
    expect(readdirSync(folder)).toEqual([stored.sha256]);
    expect(statSync(join(folder, stored.sha256)).mode & 0o777).toBe(0o600);
  });

  it("HEAD-BUNDLE-2: sweeps broken uploads and bundles that are old and unused, nothing else", async () => {
    const before = new Bundles(folder, 1_000);
    const used = await before.putText("used");
    const unused = await before.putText("unused");
    writeFileSync(join(folder, "upload-of-a-killed-head"), "half");
    writeFileSync(join(folder, "notes.txt"), "somebody's own");
    const isUsed = (sha256: string) => sha256 === used.sha256;
    expect(await before.sweep(isUsed, 60_000)).toBe(0);
    expect(await before.sweep(isUsed, 0)).toBe(2);
    expect(readdirSync(folder).sort()).toEqual([used.sha256, "notes.txt"].sort());
    expect(await before.sizeBytes(unused.sha256)).toBeUndefined();
  });

  it("a short file under a hash is replaced by the next upload of the same bytes", async () => {
    const bundles = new Bundles(folder, 1_000);
    const { sha256 } = await bundles.putText("whole text");
    writeFileSync(join(folder, sha256), "who");
    await bundles.putText("whole text");
    expect(await textOf(bundles.read(sha256))).toBe("whole text");
  });

  it("refuses what is too large and leaves nothing behind", async () => {
    const bundles = new Bundles(folder, 5);
    await expect(bundles.put(chunks("abc", "def"))).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
    await expect(bundles.putText("abcdef")).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("leaves nothing behind when the upload breaks", async () => {
    const bundles = new Bundles(folder, 100);
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("abc");
      throw new Error("connection reset");
    }
    await expect(bundles.put(broken())).rejects.toThrow("connection reset");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("HEAD-BUNDLE-1: a file has its name only when all of its bytes are written", async () => {
    const names: string[][] = [];
    async function* watched(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("con");
      names.push(readdirSync(folder));
      yield Buffer.from("sole");
      names.push(readdirSync(folder));
    }
    const { sha256 } = await new Bundles(folder, 100).put(watched());
    for (const name of names.flat()) expect(name).toMatch(/^upload-/);
    expect([names.flat().length, readdirSync(folder)]).toEqual([2, [sha256]]);
  });

  it("says NOT_FOUND of a bundle that is removed after it was found and before it is opened", async () => {
    class RemovedMeanwhile extends Bundles {
      override async sizeBytes(sha256: string): Promise<number | undefined> {
        const sizeBytes = await super.sizeBytes(sha256);
        rmSync(join(folder, sha256));
        return sizeBytes;
      }
    }
    const { sha256 } = await new Bundles(folder, 100).putText("whole text");
    const read = textOf(new RemovedMeanwhile(folder, 100).read(sha256));
    await expect(read).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("finds nothing under a name that is not a hash", async () => {
    const bundles = new Bundles(folder, 100);
    expect(await bundles.sizeBytes("../token")).toBeUndefined();
    await expect(textOf(bundles.read("0".repeat(64)))).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});
