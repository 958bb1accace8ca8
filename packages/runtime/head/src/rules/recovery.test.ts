import { describe, expect, it } from "vitest";
import { settle } from "../testing/manual-clock.js";
import { TestPlane } from "../testing/plane.js";

/** Whether somebody who asks for an actor that is not there is still waiting. */
async function waits({ plane }: TestPlane): Promise<boolean> {
  let answered = false;
  void plane.recovery.find({ actorId: "nobody" }, new AbortController()).then(() => {
    answered = true;
  });
  await settle();
  return !answered;
}

describe("who asks for an unknown actor", () => {
  it("RECOVERY-2: waits for nothing at a head without a past, and at one whose nodes had all left", async () => {
    const first = await TestPlane.open();
    expect(await waits(first)).toBe(false);
    const node = await first.join("a");
    const second = await first.reopened();
    expect(await waits(second)).toBe(true);
    const back = await second.join("a");
    node.disconnect();
    back.disconnect(true);
    expect(await waits(await second.reopened())).toBe(false);
  });
});
