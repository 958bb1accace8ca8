import { aSpec } from "./builders.js";
import { settle } from "./manual-clock.js";
import type { TestNode, TestPlane } from "./plane.js";

/** Creates the actor and lets node a report that it runs. */
export async function alive(
  test: TestPlane,
  actorId: string,
  over: Parameters<typeof aSpec>[1] = {},
): Promise<TestNode> {
  const node = await test.join("a");
  test.session("session-test");
  await test.plane.lifecycle.create(aSpec(actorId, over));
  await settle();
  node.started(actorId, 1);
  await settle();
  return node;
}
