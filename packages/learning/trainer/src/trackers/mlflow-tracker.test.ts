import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { trackersSchema } from "../recipe/tracker-settings.js";
import { mlflowAuthorization } from "./mlflow-client.js";
import { MlflowLikeServer } from "./mlflow-server.fixture.js";
import { MlflowTracker, type MlflowTrackerOptions } from "./mlflow-tracker.js";
import { trackedParams } from "./tracked-numbers.js";

let server: MlflowLikeServer;
let warnings: string[];
beforeEach(async () => {
  server = await MlflowLikeServer.start();
  warnings = [];
});
afterEach(async () => {
  await server.stop();
});

function aTracker(
  settings: { readonly queueBytes?: number; readonly address?: string } = {},
  options: Partial<MlflowTrackerOptions> = {},
): MlflowTracker {
  const [parsed] = trackersSchema.parse([
    { kind: "mlflow", address: server.address, experiment: "memory", ...settings },
  ]);
  if (parsed === undefined) throw new Error("one tracker was given");
  const params = trackedParams({ train: { steps: 3 }, seed: 1, tags: ["a", "b"], note: "x".repeat(900) });
  return new MlflowTracker({
    settings: parsed,
    run: { runId: "run-1", name: "quickstart", startedAtMs: 1_700_000_000_000, params },
    onWarning: (text) => warnings.push(text),
    wait: async () => undefined,
    ...options,
  });
}

const valuesOf = (key: string) =>
  [...(server.runs[0]?.metrics.values() ?? [])]
    .filter((metric) => metric.key === key)
    .map(({ step, value }) => [step, value]);

describe("an MLflow tracker", () => {
  it("writes settings, numbers and how the run ended", async () => {
    const tracker = aTracker({}, { authorization: "Bearer secret" });
    tracker.log(1, { "reward/exact": 0.25, "odd:name": 1, loss: Number.NaN });
    tracker.log(2, { "reward/exact": 0.5 });
    await tracker.close("FINISHED");
    const [run] = server.runs;
    expect(run).toMatchObject({ name: "quickstart", status: "FINISHED" });
    expect(Object.fromEntries(run?.params ?? [])).toMatchObject({
      "train.steps": "3",
      seed: "1",
      tags: '["a","b"]',
    });
    expect(run?.params.get("note")).toHaveLength(500);
    expect(valuesOf("reward/exact")).toEqual([
      [1, 0.25],
      [2, 0.5],
    ]);
    expect(valuesOf("odd_name")).toEqual([[1, 1]]);
    expect(valuesOf("loss")).toEqual([]);
    expect(server.authorizations).toEqual(new Set(["Bearer secret"]));
    expect(warnings).toEqual([]);
  });

  it("goes on in the same run of MLflow when the run is resumed (TRACKER-3)", async () => {
    const first = aTracker();
    first.log(1, { loss: 2 });
    await first.close("KILLED");
    const second = aTracker();
    second.log(2, { loss: 1 });
    await second.close("FINISHED");
    expect(server.runs).toHaveLength(1);
    expect(server.experiments.size).toBe(1);
    expect(server.runs[0]?.status).toBe("FINISHED");
    expect(valuesOf("loss")).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });

  it("writes into an experiment that another run made in the same moment", async () => {
    server.beforeCreate = () => server.experiments.set("memory", "7");
    const tracker = aTracker();
    tracker.log(1, { loss: 2 });
    await tracker.close("FINISHED");
    expect(server.runs[0]).toMatchObject({ experimentId: "7", status: "FINISHED" });
    expect(warnings).toEqual([]);
  });

  it("sends again what failed, and says so once (TRACKER-4)", async () => {
    server.experiments.set("memory", "1");
    server.nextStatus.push(503, 200, 500, 429, 200);
    const tracker = aTracker();
    tracker.log(1, { loss: 2 });
    await tracker.close("FINISHED");
    expect(valuesOf("loss")).toEqual([[1, 2]]);
    expect(warnings.filter((text) => text.includes("metrics are queued"))).toHaveLength(2);
    expect(warnings.filter((text) => text.includes("again"))).toHaveLength(2);
  });

  it("leaves out a batch that the server refuses, and goes on", async () => {
    const tracker = aTracker();
    server.nextStatus.push(200, 200, 200, 200, 400);
    tracker.log(1, { loss: 2 });
    await tracker.close("FINISHED");
    expect(server.runs[0]?.status).toBe("FINISHED");
    expect(warnings).toEqual([expect.stringMatching(/runs\/log-batch: 400 .*is dropped/)]);
  });

  it("holds no more than its queue, and neither waits nor throws (TRACKER-1, TRACKER-2)", async () => {
    server.hangs = true;
    const tracker = aTracker({ queueBytes: 16 * 1024 }, { closeTimeoutMs: 1 });
    for (let step = 1; step <= 1000; step++) tracker.log(step, { loss: 1, reward: 0 });
    await tracker.close("FAILED");
    expect(warnings).toEqual([
      expect.stringMatching(/queue of 16384 bytes is full, .* from step 52 on/),
      expect.stringMatching(/within 1 ms after the run's end; 102 metrics were not sent/),
      expect.stringMatching(/949 steps are missing in experiment "memory"/),
    ]);
  });

  it("gives up with a warning where the server says that it may not", async () => {
    server.nextStatus.push(403);
    const tracker = aTracker();
    tracker.log(1, { loss: 2 });
    await tracker.close("FINISHED");
    tracker.log(2, { loss: 1 });
    expect(warnings).toEqual([expect.stringMatching(/: 403 /)]);
    expect(server.calls).toEqual(["experiments/get-by-name"]);
  });
});

describe("the settings of a tracker", () => {
  it("refuse a password in the address", () => {
    const parsed = trackersSchema.safeParse([
      { kind: "mlflow", address: "http://me:secret@host", experiment: "e" },
    ]);
    expect(parsed.error?.issues[0]?.message).toContain("MLFLOW_TRACKING_PASSWORD");
  });

  it("take who asks from MLflow's own variables", () => {
    expect(mlflowAuthorization({})).toBeUndefined();
    expect(mlflowAuthorization({ MLFLOW_TRACKING_TOKEN: "t" })).toBe("Bearer t");
    const basic = mlflowAuthorization({ MLFLOW_TRACKING_USERNAME: "a", MLFLOW_TRACKING_PASSWORD: "b" });
    expect(basic).toBe("Basic YTpi");
  });
});
