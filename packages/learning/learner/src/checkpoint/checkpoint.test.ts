import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { bundledProgram } from "../../../../../test/support/bundled-program.js";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import {
  bestCheckpoint,
  type Checkpoint,
  latestCheckpoint,
  readCheckpoint,
  writeCheckpoint,
} from "./checkpoint.js";
import { StoredReference } from "./stored-reference.js";

let root = "";
beforeEach(() => {
  root = testFolder();
});

function aCheckpoint(policyVersion: number, metric?: number): Checkpoint {
  return {
    policyVersion,
    step: policyVersion * 2,
    tensors: {
      "weights/b": Float32Array.of(policyVersion, -0, Number.MIN_VALUE, 3e38),
      "weights/a": Float32Array.of(1.5),
    },
    random: [1, 2, 3, 4_294_967_295],
    config: { seed: 3 },
    model: { layers: 2 },
    extra: {
      consumedGroupIds: ["g1", "g2"],
      dataCursor: { epoch: 1, offset: 7 },
      ...(metric === undefined ? {} : { metric }),
    },
  };
}

describe("checkpoints", () => {
  it("come back as they were written (CHECKPOINT-4)", async () => {
    const folder = await writeCheckpoint(root, aCheckpoint(3, 0.5));
    expect(await readCheckpoint(folder)).toEqual(aCheckpoint(3, 0.5));
    expect(await latestCheckpoint(root)).toBe(folder);
  });

  it("keep the last k and the best, and forget the rest (CHECKPOINT-3)", async () => {
    const metrics = [0.1, 0.9, 0.3, 0.4, 0.2];
    for (const [version, metric] of metrics.entries())
      await writeCheckpoint(root, aCheckpoint(version, metric), { keepLast: 2 });
    expect((await readdir(root)).sort()).toEqual(["policy-00000001", "policy-00000003", "policy-00000004"]);
    expect(await bestCheckpoint(root)).toBe(join(root, "policy-00000001"));
    expect(await latestCheckpoint(root)).toBe(join(root, "policy-00000004"));
  });

  it("ignore what a killed writer left and clear it away with the next write (CHECKPOINT-1)", async () => {
    await writeCheckpoint(root, aCheckpoint(1));
    await mkdir(join(root, ".writing-policy-00000002-dead"));
    await writeFile(join(root, ".writing-policy-00000002-dead", "state.bin"), "half");
    expect(await latestCheckpoint(root)).toBe(join(root, "policy-00000001"));
    await writeCheckpoint(root, aCheckpoint(2));
    expect((await readdir(root)).sort()).toEqual(["policy-00000001", "policy-00000002"]);
  });

  it("leave nothing of a writing that fails, and need no space beside what killed writers left", async () => {
    await mkdir(join(root, ".writing-policy-00000001-dead"));
    const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    const left: string[][] = [];
    // The tensors are on disk by then; the disk is full with the reference.
    class FullDisk extends StoredReference {
      override async place(): Promise<never> {
        left.push(await readdir(root));
        throw full;
      }
    }
    for (let attempt = 0; attempt < 3; attempt++) {
      await expect(writeCheckpoint(root, aCheckpoint(1), { reference: new FullDisk() })).rejects.toBe(full);
      expect(await readdir(root)).toEqual([]);
    }
    expect(left.map((names) => names.length)).toEqual([1, 1, 1]);
  });

  it("keep the last writing of a policy version (CHECKPOINT-1, CHECKPOINT-2)", async () => {
    for (const metric of [0.1, 0.3, 0.2]) await writeCheckpoint(root, aCheckpoint(1, metric));
    const folder = (await latestCheckpoint(root)) ?? "";
    expect((await readCheckpoint(folder)).extra.metric).toBe(0.2);
    expect(await bestCheckpoint(root)).toBe(folder);
    expect(await readdir(root)).toEqual([basename(folder)]);
    await writeCheckpoint(root, aCheckpoint(2));
    expect(await latestCheckpoint(root)).toBe(join(root, "policy-00000002"));
  });

  it("fail to read when a byte was changed, a file cut short or gone (CHECKPOINT-4)", async () => {
    const folder = await writeCheckpoint(root, aCheckpoint(1));
    const path = join(folder, "state.bin");
    const good = await readFile(path);
    const flipped = Buffer.from(good);
    flipped[5] = (flipped[5] ?? 0) ^ 1;
    await writeFile(path, flipped);
    await expect(readCheckpoint(folder)).rejects.toThrow(/CHECKPOINT_CORRUPT.*hash/);
    await writeFile(path, good.subarray(1));
    await expect(readCheckpoint(folder)).rejects.toThrow(/CHECKPOINT_CORRUPT.*bytes instead of/);
    await rm(path);
    await expect(readCheckpoint(folder)).rejects.toThrow(/CHECKPOINT_CORRUPT.*cannot be read/);
    await writeFile(join(folder, "checkpoint.json"), "{}");
    await expect(readCheckpoint(folder)).rejects.toThrow(/CHECKPOINT_CORRUPT.*checkpoint.json/);
  });

  it("are none where nothing was written", async () => {
    expect(await latestCheckpoint(join(root, "nowhere"))).toBeUndefined();
    expect(await bestCheckpoint(root)).toBeUndefined();
  });

  it.each([2, 3, 5])(
    "survive SIGKILL of the writer after its checkpoint %i (CHECKPOINT-1, CHECKPOINT-2)",
    async (acknowledged) => {
      const program = bundledProgram(new URL("checkpoint-writer.fixture.ts", import.meta.url));
      const writer = fork(program, [root], { execArgv: [] });
      const exited = once(writer, "exit");
      await new Promise<void>((resolve) => {
        writer.on("message", (policyVersion) => {
          if (policyVersion === acknowledged) resolve();
        });
      });
      writer.kill("SIGKILL");
      await exited;
      const found = await readCheckpoint((await latestCheckpoint(root)) ?? "");
      expect(found.policyVersion).toBeGreaterThanOrEqual(acknowledged);
      expect(found.extra.dataCursor).toBe(found.policyVersion);
      const values = found.tensors["weights/a"];
      expect(values).toHaveLength(300_000);
      expect(values?.every((value) => value === found.policyVersion)).toBe(true);
    },
  );
});
