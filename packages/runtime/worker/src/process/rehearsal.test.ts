import { expect, test } from "vitest";
import { rehearse } from "./rehearsal.js";

test("a rehearsal runs to its end, and nothing of it listens or is connected any more", async () => {
  const open = () => process.getActiveResourcesInfo().filter((kind) => /^TCP/.test(kind)).length;
  const before = open();
  await rehearse();
  await expect.poll(open).toBe(before);
});
