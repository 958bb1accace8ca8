import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type AskState, AskStateWriter, readAskState } from "./ask-state.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ask-state-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const of = { question: "who?" };
const stateAt = (documentTokensRead: number): AskState => ({
  of,
  episode: {
    agent: "memagent",
    documentPosition: documentTokensRead,
    documentTokensRead,
    memoryTokenIds: [1, 2],
    counts: { conversations: 1, promptTokens: 9, sampledTokens: 2, truncated: 0, emptyUpdates: 0 },
    policyVersionMin: 0,
    policyVersionMax: 0,
  },
  conversations: [],
  memorySteps: [],
  secondsBefore: 1,
});

it("the file has the last state after a flush, also when writes are far apart (ASKSTATE-1)", async () => {
  const path = join(folder, "state.json");
  const writer = await AskStateWriter.open(path, 3_600_000);
  for (const read of [40, 80, 120]) writer.put(stateAt(read));
  await writer.flush();
  expect(await readAskState(path, of)).toEqual(stateAt(120));
});

it("a write that fails makes flush and every later put throw (ASKSTATE-2)", async () => {
  const runs = join(folder, "runs");
  mkdirSync(runs);
  const writer = await AskStateWriter.open(join(runs, "state.json"), 0);
  rmSync(runs, { recursive: true });
  writer.put(stateAt(40));
  await expect(writer.flush()).rejects.toThrow(
    /--resume .*state\.json: cannot be written \(it does not exist: ENOENT/,
  );
  expect(() => writer.put(stateAt(80))).toThrow(/cannot be written/);
});
