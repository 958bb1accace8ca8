import { expect, it } from "vitest";
import { alive } from "../testing/alive-actor.js";
import { TestPlane } from "../testing/plane.js";

it("STACK-3: each question is answered once: by the process, or when its time is up", async () => {
  const test = await TestPlane.open({ nodeTimeoutMs: 600_000 });
  const node = await alive(test, "x");
  const { stacks } = test.plane;
  const asked = () => node.sent.flatMap(({ stackRequest }) => stackRequest?.requestId ?? []);
  const first = stacks.ask("x", 5_000);
  const second = stacks.ask("x", 5_000);
  const late = expect(second).rejects.toMatchObject({ code: "GET_TIMEOUT" });
  const [one = "", two = ""] = asked();
  expect(one).not.toBe(two);
  stacks.answered({ requestId: one, busy: true });
  stacks.answered({ requestId: one, busy: false });
  expect(await first).toMatchObject({ busy: true, pid: 101 });
  await test.clock.advance(5_000);
  await late;
  // Nobody waits for it any more.
  stacks.answered({ requestId: two, busy: true });
});
