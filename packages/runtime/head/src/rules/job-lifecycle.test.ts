import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Of } from "@palimpsest/std";
import type * as proto from "@palimpsest/wire/protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { type Submission, submissionFromProto } from "../tables/job.js";
import { aSpec } from "../testing/builders.js";
import { settle } from "../testing/manual-clock.js";
import { TestPlane } from "../testing/plane.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const open = (over = {}) => TestPlane.open({ dataDir: folder, ...over });

function aRecipe(submissionId: string, over: proto.SubmitRequest.$Properties = {}): Submission {
  return submissionFromProto({ submissionId, recipe: "agent: memagent\n", name: "toy.yaml", ...over });
}

const exit = (
  test: TestPlane,
  jobId: string,
  exitCode: number,
  over: proto.DeathCertificate.$Properties = {},
) =>
  test.plane.jobLifecycle.driverExited("a", { jobId, certificate: { reason: "exited", exitCode, ...over } });

async function running(test: TestPlane, jobId = "job-1", over: proto.SubmitRequest.$Properties = {}) {
  const node = await test.join("a");
  await test.plane.jobLifecycle.submit(aRecipe(jobId, over));
  await settle();
  return node;
}

describe("JobLifecycle", () => {
  it("sends a recipe as a bundle that nodes can fetch, with the user's arguments after it", async () => {
    const test = await open();
    const node = await running(test, "job-1", { argv: ["--seed", "3"], environment: { A: "1" } });
    const sha256 = sha256Of("agent: memagent\n");
    expect(node.sent).toContainEqual({
      startDriver: {
        jobId: "job-1",
        argv: ["recipe", "--seed", "3"],
        bundle: sha256,
        environment: { A: "1" },
        packages: null,
        workingDir: "",
        gpuIds: [],
        resources: { quantities: {} },
      },
    });
    expect(readFileSync(join(folder, "bundles", sha256), "utf8")).toBe("agent: memagent\n");
    expect(test.plane.jobs.get("job-1")).toMatchObject({ status: "RUNNING", nodeId: "a", name: "toy.yaml" });
  });

  it.each([
    [0, {}, "SUCCEEDED", ""],
    [
      2,
      { lastStderrLines: ["agent: unknown key", ""] },
      "FAILED",
      "its driver exited with code 2: agent: unknown key",
    ],
    [
      1,
      { lastStderrLines: ["Error: no such table", "    at main (entry.ts:3:9)", "", "Node.js v20.19.0"] },
      "FAILED",
      "its driver exited with code 1: Error: no such table (entry.ts:3:9)",
    ],
  ])("a driver that exits with %i leaves the job with its code", async (code, over, status, message) => {
    const test = await open();
    await running(test);
    test.plane.jobLifecycle.driverStarted("a", { jobId: "job-1", pid: 77 });
    exit(test, "job-1", code, over);
    expect(test.plane.jobs.get("job-1")).toMatchObject({
      status,
      message,
      driverExitCode: code,
      driverPid: 77,
    });
  });

  describe("a job with retries (JOBLIFE-1)", () => {
    const attempts = (test: TestPlane) =>
      test.plane.jobs
        .all()
        .map(({ jobId, status, attempt, retriedAs }) => [jobId, status, attempt, retriedAs]);
    const started = (node: { readonly sent: readonly proto.HeadMessage.$Properties[] }) =>
      node.sent.flatMap(({ startDriver }) => startDriver?.jobId ?? []);

    it("is submitted again when its node is lost, so often and not more", async () => {
      const test = await open();
      let node = await running(test, "job-1", { maxRetries: 2, argv: ["--fast"] });
      for (const name of ["b", "c"]) {
        const next = await test.join(name);
        node.disconnect(true);
        node = next;
        await settle();
        expect(started(next)).toHaveLength(1);
        expect(next.sent).toContainEqual({
          startDriver: expect.objectContaining({ argv: ["recipe", "--fast"] }),
        });
      }
      node.disconnect(true);
      expect(attempts(test)).toEqual([
        ["job-1", "FAILED", 1, "job-1.retry-1"],
        ["job-1.retry-1", "FAILED", 2, "job-1.retry-2"],
        ["job-1.retry-2", "FAILED", 3, ""],
      ]);
      const [first, , last] = test.plane.jobs.all();
      expect(first?.message).toMatch(/; submitted again as job-1\.retry-1, attempt 2 of 3$/);
      expect(last?.message).toMatch(/\(attempt 3 of 3\): submit it again$/);
    });

    it("is submitted again when its driver fails only if that was asked for, and never after success", async () => {
      const test = await open();
      await running(test, "lost-only", { maxRetries: 1 });
      exit(test, "lost-only", 1);
      await test.plane.jobLifecycle.submit(aRecipe("both", { maxRetries: 1, retryFailures: true }));
      await settle();
      exit(test, "both", 1);
      await settle();
      exit(test, "both.retry-1", 0);
      expect(attempts(test)).toEqual([
        ["lost-only", "FAILED", 1, ""],
        ["both", "FAILED", 1, "both.retry-1"],
        ["both.retry-1", "SUCCEEDED", 2, ""],
      ]);
    });

    it("is not tried again after a stop request, and where its next id is taken it says so", async () => {
      const test = await open();
      await running(test, "stopped", { maxRetries: 3, retryFailures: true });
      await test.plane.jobLifecycle.stop("stopped");
      exit(test, "stopped", 1);
      await test.plane.jobLifecycle.submit(aRecipe("job-1.retry-1"));
      await test.plane.jobLifecycle.submit(aRecipe("job-1", { maxRetries: 3, retryFailures: true }));
      await settle();
      exit(test, "job-1", 1);
      expect(attempts(test)).toEqual([
        ["stopped", "STOPPED", 1, ""],
        ["job-1.retry-1", "RUNNING", 1, ""],
        ["job-1", "FAILED", 1, ""],
      ]);
      expect(test.plane.jobs.get("job-1").message).toContain("belongs to a job with other content");
    });

    it("has its next attempt once, although the head was killed before it knew that the job had failed", async () => {
      const test = await open();
      const node = await running(test, "job-1", { maxRetries: 1 });
      const submission = test.plane.jobs.submission("job-1");
      if (submission === undefined) throw new Error("no submission");
      await test.plane.jobLifecycle.submit({
        ...submission,
        submissionId: "job-1.retry-1",
        firstAttempt: "job-1",
        attempt: 2,
      });
      node.disconnect(true);
      expect(attempts(test).map(([jobId, status]) => [jobId, status])).toEqual([
        ["job-1", "FAILED"],
        ["job-1.retry-1", expect.stringMatching(/PENDING|FAILED/)],
      ]);
    });

    it("may ask for so many and not more", () => {
      for (const maxRetries of [-1, 101])
        expect(() => aRecipe("job-1", { maxRetries })).toThrow(`retries are ${maxRetries}: give 0 to 100`);
    });
  });

  it("JOBTABLE-1: a terminal status never changes", async () => {
    const test = await open();
    await running(test);
    exit(test, "job-1", 0);
    exit(test, "job-1", 1);
    await test.plane.jobLifecycle.stop("job-1");
    await test.plane.jobs.update("job-1", { status: "RUNNING" });
    expect(test.plane.jobs.get("job-1").status).toBe("SUCCEEDED");
  });

  it("JOBTABLE-2: the same content under one submission id is one job, other content is refused", async () => {
    const test = await open();
    const node = await running(test, "job-1", { metadata: { a: "1", b: "2" } });
    await test.plane.jobLifecycle.submit(aRecipe("job-1", { metadata: { b: "2", a: "1" } }));
    await expect(
      test.plane.jobLifecycle.submit(aRecipe("job-1", { argv: ["--fast"] })),
    ).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
    });
    await settle();
    expect(node.sent.filter((message) => message.startDriver)).toHaveLength(1);
    const second = await test.reopened({ dataDir: folder });
    await expect(second.plane.jobLifecycle.submit(aRecipe("job-1", { argv: ["--fast"] }))).rejects.toThrow(
      "other content",
    );
  });

  it.each(["a submission", "a stop"])(
    "%s that is repeated is acknowledged only when the store holds it",
    async (what) => {
      const test = await open();
      const { jobLifecycle } = test.plane;
      const act = () =>
        what === "a stop" ? jobLifecycle.stop("job-1") : jobLifecycle.submit(aRecipe("job-1"));
      if (what === "a stop") await jobLifecycle.submit(aRecipe("job-1"));
      test.store.failure = new Error("away");
      const first = act();
      await settle();
      let acknowledged = false;
      const again = act().then(() => {
        acknowledged = true;
      });
      await settle();
      expect(acknowledged).toBe(false);
      test.store.failure = undefined;
      await test.clock.advance(1_000);
      await Promise.all([first, again]);
      const next = await test.reopened({ dataDir: folder });
      expect(next.plane.jobs.get("job-1").status).toBe(what === "a stop" ? "STOPPED" : "PENDING");
    },
  );

  it("JOBLIFE-1: a driver whose node is lost is not started again", async () => {
    const test = await open();
    const node = await running(test);
    const other = await test.join("b");
    node.disconnect(true);
    await settle();
    expect(test.plane.jobs.get("job-1")).toMatchObject({
      status: "FAILED",
      message: "it left the cluster: submit it again",
    });
    expect(other.sent.filter((message) => message.startDriver)).toEqual([]);
  });

  it("JOBLIFE-2: a start that was lost with the link is repeated, one that was seen is not", async () => {
    const test = await open();
    const node = await running(test, "unseen");
    await test.plane.jobLifecycle.submit(aRecipe("seen"));
    await settle();
    test.plane.jobLifecycle.driverStarted("a", { jobId: "seen", pid: 5 });
    node.disconnect();
    const back = await test.join("a");
    expect(back.sent.flatMap(({ startDriver }) => startDriver?.jobId ?? [])).toEqual(["unseen"]);
    expect(test.plane.jobs.get("seen").status).toBe("FAILED");
  });

  it("JOBLIFE-3: a job that was asked to stop ends STOPPED, however its driver ends", async () => {
    const test = await open({ driverStopGraceMs: 3_000 });
    const node = await running(test);
    const asked = await test.plane.jobLifecycle.stop("job-1");
    expect(asked).toMatchObject({ status: "RUNNING", stopRequested: true });
    expect(node.sent).toContainEqual({ stopDriver: { jobId: "job-1", graceMs: 3_000 } });
    exit(test, "job-1", 0);
    expect(test.plane.jobs.get("job-1")).toMatchObject({ status: "STOPPED", driverExitCode: 0 });
  });

  it("JOBLIFE-3: a stop that comes while the placement is on its way to the store keeps the driver from starting", async () => {
    const test = await open();
    const node = await test.join("a");
    test.store.failure = new Error("redis is away");
    void test.plane.jobLifecycle.submit(aRecipe("job-1"));
    await expect.poll(() => test.plane.jobs.find("job-1")?.status).toBe("RUNNING");
    void test.plane.jobLifecycle.stop("job-1");
    test.store.failure = undefined;
    await test.clock.advance(1_000);
    expect(node.sent.filter((message) => message.startDriver)).toEqual([]);
    expect(test.plane.jobs.get("job-1")).toMatchObject({
      status: "STOPPED",
      message: "stopped before its driver started",
    });
    expect([...test.plane.nodes.leasesOn("a").keys()]).toEqual([]);
  });

  it("JOBLIFE-4: a job whose node is lost before it was told of the driver starts on another", async () => {
    const test = await open();
    const node = await test.join("a");
    test.store.failure = new Error("redis is away");
    void test.plane.jobLifecycle.submit(aRecipe("job-1"));
    await expect.poll(() => test.plane.jobs.find("job-1")?.status).toBe("RUNNING");
    node.disconnect(true);
    expect(test.plane.jobs.get("job-1")).toMatchObject({ status: "PENDING", nodeId: "" });
    const other = await test.join("b");
    test.store.failure = undefined;
    await test.clock.advance(1_000);
    expect(node.sent.filter((message) => message.startDriver)).toEqual([]);
    expect(other.sent.filter((message) => message.startDriver)).toHaveLength(1);
    expect(test.plane.jobs.get("job-1")).toMatchObject({ status: "RUNNING", nodeId: "b" });
  });

  it("JOBLIFE-6: a job whose submission was cut off is not placed, and can be submitted again", async () => {
    const test = await open();
    await test.plane.jobLifecycle.submit(aRecipe("job-1"));
    await settle();
    await test.store.write([{ table: "submissions", key: "job-1", bytes: undefined }]);
    const next = await test.reopened({ dataDir: folder });
    expect(next.plane.jobs.find("job-1")).toBeUndefined();
    const node = await next.join("a");
    expect(node.sent.filter((message) => message.startDriver)).toEqual([]);
    await next.plane.jobLifecycle.submit(aRecipe("job-1"));
    await settle();
    expect(node.sent.filter((message) => message.startDriver)).toHaveLength(1);
  });

  it("a job that waits says why, and stops without a driver", async () => {
    const test = await open();
    await test.plane.jobLifecycle.submit(aRecipe("job-1"));
    await settle();
    const { jobs, jobLifecycle } = test.plane;
    expect(jobLifecycle.forReaders(jobs.get("job-1")).message).toContain("palimpsest worker join");
    expect((await test.plane.jobLifecycle.stop("job-1")).status).toBe("STOPPED");
    const node = await test.join("a");
    expect(node.sent.filter((message) => message.startDriver)).toEqual([]);
  });

  it("the end of a job ends its sessions, its actors and its holds on objects", async () => {
    const test = await open();
    const node = await running(test);
    test.session("session-test", "job-1");
    test.plane.objectHolders.reported(node.nodeId, ["job-1"]);
    await test.plane.lifecycle.create(aSpec("by-session"));
    await test.plane.lifecycle.create(aSpec("by-job", { ownerId: "unseen", jobId: "job-1" }));
    exit(test, "job-1", 0);
    expect([test.state("by-session"), test.state("by-job")]).toEqual(["DEAD", "DEAD"]);
    expect(node.sent).toContainEqual({ endedHolders: { holders: ["job-1"] } });
  });

  it("a head started again goes on with drivers that run, and stops those it was asked to stop", async () => {
    const first = await open();
    await running(first);
    await first.plane.jobLifecycle.submit(aRecipe("job-2"));
    await settle();
    await first.plane.jobLifecycle.stop("job-2");
    const second = await first.reopened({ dataDir: folder });
    const node = await second.join("a", { jobIds: ["job-1", "job-2", "unknown"] });
    expect(node.sent.flatMap(({ stopDriver }) => stopDriver?.jobId ?? [])).toEqual(["job-2"]);
    exit(second, "job-1", 0);
    exit(second, "job-2", 0);
    // The head may have lost the row of a job that it does not know: it can be seen and stopped again.
    expect(second.plane.jobs.all().map((job) => job.status)).toEqual(["SUCCEEDED", "STOPPED", "RUNNING"]);
    await expect(second.plane.jobLifecycle.submit(aRecipe("unknown"))).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
    });
    await second.plane.jobLifecycle.stop("unknown");
    expect(node.sent.at(-1)).toMatchObject({ stopDriver: { jobId: "unknown" } });
    const again = await second.join("a", { jobIds: [] });
    expect(second.plane.jobs.get("unknown").status).toBe("STOPPED");
    expect(again.sent).toEqual([]);
  });

  it("JOBLIFE-5: a node that comes back stops the drivers of jobs that failed or were deleted meanwhile", async () => {
    const test = await open({ heartbeatIntervalMs: 1_000, nodeTimeoutMs: 3_000 });
    const node = await running(test, "failed");
    await test.plane.jobLifecycle.submit(aRecipe("deleted"));
    await settle();
    node.disconnect();
    await test.clock.advance(5_000);
    expect(test.plane.jobs.all().map((job) => job.status)).toEqual(["FAILED", "FAILED"]);
    await test.plane.jobLifecycle.delete("deleted");
    const back = await test.join("a", { jobIds: ["failed", "deleted"] });
    expect(back.sent.flatMap(({ stopDriver }) => stopDriver?.jobId ?? [])).toEqual(["failed", "deleted"]);
    expect([...test.plane.nodes.leasesOn("a").keys()]).toEqual([]);
  });

  it("JOBLIFE-5: a driver whose job was lost keeps its lease, also at the head after this one", async () => {
    const test = await open();
    const lease = { resources: { quantities: { cpu: 3, gpu: 1 } }, gpuIds: [1] };
    await test.join("a", { cpu: 4, gpu: 2, drivers: [{ jobId: "lost", ...lease }] });
    expect(test.plane.nodes.get("a")?.available).toMatchObject({ cpu: 1, gpu: 1 });
    await test.plane.jobLifecycle.submit(aRecipe("job-1", { resources: { quantities: { gpu: 1 } } }));
    await settle();
    expect(test.plane.jobs.get("job-1").gpuIds).toEqual([0]);
    const second = await test.reopened({ dataDir: folder });
    await second.join("a", { cpu: 4, gpu: 2, jobIds: ["lost", "job-1"] });
    expect(second.plane.nodes.get("a")?.available).toMatchObject({ cpu: 1, gpu: 0 });
    exit(second, "lost", 0);
    expect(second.plane.nodes.get("a")?.available).toMatchObject({ cpu: 4, gpu: 1 });
  });

  it("forgets the oldest ended jobs with their logs", async () => {
    const test = await open({ maxEndedJobs: 1 });
    await running(test, "job-1");
    await test.plane.logs.append("job-1", Buffer.from("hello\n"), 0);
    exit(test, "job-1", 0);
    await test.plane.jobLifecycle.submit(aRecipe("job-2"));
    await settle();
    exit(test, "job-2", 0);
    await test.plane.jobLifecycle.submit(aRecipe("job-3"));
    expect(test.plane.jobs.all().map((job) => job.jobId)).toEqual(["job-2", "job-3"]);
    expect(existsSync(join(folder, "logs", "job-1.log"))).toBe(false);
  });

  it("refuses what cannot be a job, naming the field", () => {
    expect(() => submissionFromProto({})).toThrow("entrypoint is missing");
    expect(() => submissionFromProto({ bundle: "../../etc/passwd" })).toThrow("64 hex digits");
    expect(() => aRecipe("../x")).toThrow("submission_id");
    expect(() => aRecipe("x", { environment: { PALIMPSEST_TOKEN: "mine" } })).toThrow("PALIMPSEST_TOKEN");
    expect(() => aRecipe("x", { resources: { quantities: { cpu: -1 } } })).toThrow("resource cpu is -1");
  });
});
