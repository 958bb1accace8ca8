import { createMetrics } from "@palimpsest/telemetry";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { aGroupRequest, trajectoryOf } from "../testing/builders.js";
import { type RedisServer, startRedisServer } from "../testing/redis-server.js";
import { RunFixture } from "../testing/run-fixture.js";
import { queueDepths } from "./queue-depths.js";

let server: RedisServer;
const fixture = new RunFixture(() => server);

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => fixture.end());
afterAll(() => server.close());

describe("queue metrics", () => {
  it("counts groups, payloads, jobs and each failed episode once", async () => {
    const metrics = createMetrics({ component: "test", processMetrics: false });
    const queues = await fixture.open({ metrics });
    const consumer = await queues.consumeGroups({ minGroupSize: 2 });
    await queues.consumeRollouts({
      concurrency: 4,
      run: async (episode) => {
        if (episode.groupId === "g-bad" && episode.episodeIndex > 0) {
          throw new Error("no");
        }
        return trajectoryOf(episode);
      },
    });
    await queues.consumeRewards({ concurrency: 4, score: async () => ({ reward: 1, components: {} }) });
    await queues.dispatchGroups([
      aGroupRequest({ groupId: "g-bad", groupSize: 3 }),
      aGroupRequest({ groupId: "g-good", groupSize: 3 }),
    ]);
    const { groups } = await consumer.nextGroups({ count: 2 });
    await consumer.acknowledge(groups.map(({ groupId }) => groupId));
    const page = () => metrics.registry.metrics();
    // A job is counted once its queue has closed it, which may be after its group was taken.
    await expect.poll(page).toContain('job_seconds_count{component="test",kind="rollout",outcome="ok"} 4');
    const text = await page();
    expect(text).toContain('palimpsest_queue_groups_dispatched_total{component="test"} 2');
    expect(text).toContain('palimpsest_queue_groups_trained_total{component="test"} 1');
    expect(text).toContain(
      'palimpsest_queue_groups_failed_total{reason="BELOW_MIN_GROUP_SIZE",component="test"} 1',
    );
    expect(text).toContain('palimpsest_queue_episodes_failed_total{stage="rollout",component="test"} 2');
    // The series exists before the first failure, so that an alert sees the rise.
    expect(text).toContain('palimpsest_queue_episodes_failed_total{stage="reward",component="test"} 0');
    expect(text).toMatch(/payload_bytes_total\{kind="trajectory",component="test"\} [1-9]/);
  });

  it("reads depths, and none of queues that are gone", async () => {
    const redis = new Redis(server.url);
    const queues = await fixture.open();
    await queues.dispatchGroups([aGroupRequest({ groupSize: 2 })]);
    expect(await queueDepths(redis)).toContainEqual(
      expect.objectContaining({ name: `${fixture.runId}/rollouts`, waiting: 2 }),
    );
    await queues.obliterate();
    expect((await queueDepths(redis)).filter(({ name }) => name.startsWith(fixture.runId))).toEqual([]);
    redis.disconnect();
  });
});
