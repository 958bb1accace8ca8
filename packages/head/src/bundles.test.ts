import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bundles } from "./bundles.js";
import { sha256Of } from "./job.js";
import { temporaryFolder } from "./testing/builders.js";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

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
    const bundles = new Bundles(folder.path, 1_000);
    const stored = await bundles.put(chunks("con", "sole", ""));
    expect(stored).toEqual({ sha256: sha256Of("console"), sizeBytes: 7 });
    expect(await textOf(bundles.read(stored.sha256))).toBe("console");
    expect(await bundles.putText("console")).toEqual(stored);
    expect(readdirSync(folder.path)).toEqual([stored.sha256]);
    expect(statSync(join(folder.path, stored.sha256)).mode & 0o777).toBe(0o600);
  });

  it("refuses what is too large and leaves nothing behind", async () => {
    const bundles = new Bundles(folder.path, 5);
    await expect(bundles.put(chunks("abc", "def"))).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
    await expect(bundles.putText("abcdef")).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it("leaves nothing behind when the upload breaks", async () => {
    const bundles = new Bundles(folder.path, 100);
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("abc");
      throw new Error("connection reset");
    }
    await expect(bundles.put(broken())).rejects.toThrow("connection reset");
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it("finds nothing under a name that is not a hash", async () => {
    const bundles = new Bundles(folder.path, 100);
    expect(await bundles.sizeBytes("../token")).toBeUndefined();
    await expect(textOf(bundles.read("0".repeat(64)))).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});
