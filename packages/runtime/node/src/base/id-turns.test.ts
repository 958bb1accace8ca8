import { expect, test } from "vitest";
import { IdTurns } from "./id-turns.js";

test("work on an id waits for earlier work on it, whatever became of that, and for no other (IDTURNS-1, IDTURNS-2)", async () => {
  const turns = new IdTurns();
  const done: string[] = [];
  let fail = (_reason: Error): void => undefined;
  const first = turns.next(["a", "b"], () => new Promise<void>((_, reject) => (fail = reject)));
  const second = turns.next(["b", "c"], async () => void done.push("b c"));
  const third = turns.next(["c"], async () => void done.push("c"));
  await turns.next(["d"], async () => void done.push("d"));
  expect(done).toEqual(["d"]);
  fail(new Error("it cannot be had"));
  await expect(first).rejects.toThrow("it cannot be had");
  await Promise.all([second, third]);
  expect(done).toEqual(["d", "b c", "c"]);
  expect(turns.size).toBe(0);
});
