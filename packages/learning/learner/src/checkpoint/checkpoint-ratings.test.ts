import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { bestCheckpoint, type Checkpoint, listCheckpoints, writeCheckpoint } from "./checkpoint.js";
import { rateCheckpoint } from "./checkpoint-ratings.js";

let root = "";
beforeEach(() => {
  root = testFolder();
});

const aCheckpoint = (policyVersion: number): Checkpoint => ({
  policyVersion,
  step: policyVersion,
  tensors: { "weights/a": Float32Array.of(policyVersion) },
  random: [1],
  config: {},
  model: {},
  extra: { consumedGroupIds: [], dataCursor: null },
});

it("keeps beside the newest what was rated best after it was written, the newer of equals", async () => {
  const ratings: Readonly<Record<number, number>> = { 2: 0.5, 4: 0.7, 6: 0.7, 8: 0.1 };
  for (let version = 1; version <= 9; version++) {
    await writeCheckpoint(root, aCheckpoint(version), { keepLast: 1 });
    const rating = ratings[version];
    if (rating !== undefined) await rateCheckpoint(root, version, rating);
  }
  expect((await readdir(root)).filter((name) => name.startsWith("policy-")).sort()).toEqual([
    "policy-00000006",
    "policy-00000009",
  ]);
  expect(await bestCheckpoint(root)).toBe(join(root, "policy-00000006"));
  expect(await listCheckpoints(root)).toEqual([
    { folder: join(root, "policy-00000006"), policyVersion: 6, metric: 0.7 },
    { folder: join(root, "policy-00000009"), policyVersion: 9, metric: null },
  ]);
});

it("keeps the rating of a version that is written again", async () => {
  await writeCheckpoint(root, aCheckpoint(1));
  await rateCheckpoint(root, 1, 0.5);
  const again = await writeCheckpoint(root, aCheckpoint(1));
  expect(await bestCheckpoint(root)).toBe(again);
});

it("says which file of ratings is damaged", async () => {
  await writeFile(join(root, "ratings.json"), '{"1": ');
  await expect(rateCheckpoint(root, 2, 1)).rejects.toThrow(/CHECKPOINT_CORRUPT.*ratings\.json/);
});
