import { sha256Of } from "@palimpsest/std";
import { jobsService, type Peer, roleToken } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { submissionFromProto } from "../tables/job.js";
import { anActor } from "../testing/builders.js";
import { create, HeadBench } from "../testing/running-head.js";

const { JOB_STATUS_RUNNING, JOB_STATUS_STOPPED, JOB_STATUS_SUCCEEDED } = proto.JobStatus;

let bench: HeadBench;
beforeEach(() => {
  bench = new HeadBench();
});
afterEach(() => bench.end());

describe("jobs over gRPC", () => {
  const submit = (peer: Peer, request: proto.SubmitRequest.$Properties) =>
    peer.unary(jobsService.submit, request, { timeoutMs: 600_000 });

  it("priority and weight are for who may submit jobs, and what is out of range is refused", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    const asActor = bench.peer(head, roleToken(head.token, "actor"));
    await expect(submit(asActor, { recipe: "a: 1\n", priority: 1 })).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
    });
    const refused = (request: proto.SubmitRequest.$Properties) =>
      expect(submit(peer, { recipe: "a: 1\n", ...request })).rejects;
    await refused({ priority: 1001 }).toThrow("priority is 1001: give a whole number from -1000 to 1000");
    await refused({ weight: 0.0001 }).toThrow("weight is 0.0001: give a number from 0.001 to 1000");
    await refused({ weight: Number.NaN }).toThrow("weight is NaN");
    await refused({ fairnessKey: "a b" }).toThrow('fairness_key is "a b"');
    await submit(peer, { recipe: "a: 1\n", priority: 7, weight: 3, fairnessKey: "night" });
  });

  async function logsOf(peer: Peer, jobId: string, follow: boolean): Promise<string> {
    let text = "";
    for await (const chunk of peer.serverStream(jobsService.logs, { jobId, follow })) {
      text += Buffer.from((chunk as proto.LogChunk).data).toString();
    }
    return text;
  }

  it("run from submission over followed logs to their end", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    const node = await bench.join(head, { nodeId: "node-a" });
    const job = await submit(peer, { recipe: "agent: memagent\n", name: "toy.yaml", submissionId: "job-1" });
    expect(
      await submit(peer, { recipe: "agent: memagent\n", name: "toy.yaml", submissionId: "job-1" }),
    ).toMatchObject({
      jobId: job.jobId ?? "",
    });
    await expect(submit(peer, { recipe: "agent: other\n", submissionId: "job-1" })).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
    });
    const start = await node.next(({ startDriver }) => startDriver);
    expect(start.argv).toEqual(["recipe"]);
    const chunks: Buffer[] = [];
    for await (const chunk of peer.serverStream(jobsService.getBundle, { sha256: start.bundle ?? "" })) {
      chunks.push(Buffer.from((chunk as proto.BundleChunk).data));
    }
    expect(Buffer.concat(chunks).toString()).toBe("agent: memagent\n");

    const followed = logsOf(peer, "job-1", true);
    const output = node.output("job-1");
    output.send("step 1\n", 0);
    await output.acked(7);
    output.send("step 1\n", 0);
    // The end overtakes the last output, and the follower waits for it.
    node.send({ driverExited: { jobId: "job-1", certificate: { exitCode: 0 }, outputBytes: 14 } });
    const status = async () =>
      (await peer.unary(jobsService.get, { jobId: "job-1" }, { timeoutMs: 600_000 })).status;
    await expect.poll(status).toBe(JOB_STATUS_SUCCEEDED);
    output.send("step 2\n", 7);
    expect(await followed).toBe("step 1\nstep 2\n");
    expect(await peer.unary(jobsService.get, { jobId: "job-1" }, { timeoutMs: 600_000 })).toMatchObject({
      status: JOB_STATUS_SUCCEEDED,
      driverExitCode: 0,
      driverPid: 4242,
    });
    expect(await logsOf(peer, "job-1", false)).toBe("step 1\nstep 2\n");
  });

  it("are first attempts, whatever a client says: further ones are named after the first, and names are files", async () => {
    const head = await bench.start();
    const given = { firstAttempt: "../../../elsewhere", attempt: 7 };
    const job = await submit(bench.peer(head), {
      ...{ recipe: "a: 1\n", submissionId: "job-1", maxRetries: 50, retryFailures: true },
      ...given,
    });
    expect(job).toMatchObject({ jobId: "job-1", attempt: 1 });
    expect(() => submissionFromProto({ recipe: "a: 1", ...given })).toThrow(
      /first_attempt is "..\/..\/..\/elsewhere"/,
    );
  });

  it("OUTPUT-2: take output from the node of their driver only", async () => {
    const head = await bench.start();
    const node = await bench.join(head, { nodeId: "node-a", cpu: 4 });
    await submit(bench.peer(head), { recipe: "a: 1\n", submissionId: "job-1" });
    await node.next(({ startDriver }) => startDriver);
    const stranger = await bench.join(head, { nodeId: "node-b" });
    await expect(stranger.output("job-1").failed).resolves.toMatchObject({ code: "NOT_FOUND" });
    await expect(node.output("job-2").failed).resolves.toMatchObject({ code: "NOT_FOUND" });
    const output = node.output("job-1");
    output.send("x", -1);
    await expect(output.failed).resolves.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  it("are deleted with their output and their recipe once they have ended, also after a restart", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    const node = await bench.join(head, { nodeId: "node-a" });
    const submitted = { recipe: "a: 1\n", submissionId: "job-1", metadata: { team: "red" } };
    await submit(peer, { ...submitted, resources: { quantities: { cpu: 1 } } });
    const { bundle = "" } = await node.next(({ startDriver }) => startDriver);
    const remove = (from: Peer) => from.unary(jobsService.delete, { jobId: "job-1" }, { timeoutMs: 600_000 });
    await expect(remove(peer)).rejects.toThrow("stop it first");
    const output = node.output("job-1");
    output.send("hello\n", 0);
    await output.acked(6);
    node.send({ driverExited: { jobId: "job-1", certificate: { exitCode: 0 }, outputBytes: 6 } });
    const status = async () =>
      (await peer.unary(jobsService.get, { jobId: "job-1" }, { timeoutMs: 600_000 })).status;
    await expect.poll(status).toBe(JOB_STATUS_SUCCEEDED);
    await head.close();

    const again = bench.peer(await bench.start());
    expect(await again.unary(jobsService.get, { jobId: "job-1" }, { timeoutMs: 600_000 })).toMatchObject({
      metadata: { team: "red" },
      resources: { quantities: { cpu: 1 } },
      outputBytes: 6,
    });
    expect(await remove(again)).toMatchObject({ jobId: "job-1" });
    await expect(remove(again)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(logsOf(again, "job-1", false)).rejects.toThrow("job-1 is not known");
    const download = again.serverStream(jobsService.getBundle, { sha256: bundle });
    await expect(download[Symbol.asyncIterator]().next()).rejects.toThrow("the head does not have bundle");
  });

  it("stop on request and stay stopped over a restart of the head", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    const node = await bench.join(head, { nodeId: "node-a" });
    await submit(peer, { recipe: "a: 1\n", submissionId: "job-1" });
    await node.next(({ startDriver }) => startDriver);
    const stopping = await peer.unary(jobsService.stop, { jobId: "job-1" }, { timeoutMs: 600_000 });
    expect(stopping).toMatchObject({ status: JOB_STATUS_RUNNING, stopRequested: true });
    await node.next(({ stopDriver }) => stopDriver);
    node.send({ driverExited: { jobId: "job-1", certificate: { signal: "SIGTERM" } } });
    const status = async () =>
      (await peer.unary(jobsService.get, { jobId: "job-1" }, { timeoutMs: 600_000 })).status;
    await expect.poll(status).toBe(JOB_STATUS_STOPPED);
    await head.close();
    const again = bench.peer(await bench.start());
    const { jobs } = await again.unary(jobsService.list, {}, { timeoutMs: 600_000 });
    expect(jobs).toMatchObject([
      { jobId: "job-1", status: JOB_STATUS_STOPPED, message: "stopped on request" },
    ]);
  });

  it("take programs from bundles, whose size is bounded", async () => {
    const head = await bench.start({ bundleMaxBytes: 1_000 });
    const peer = bench.peer(head);
    const node = await bench.join(head, { nodeId: "node-a" });
    const upload = peer.clientStream(jobsService.putBundle);
    upload.stream.write({ data: Buffer.from("console.") });
    upload.stream.end({ data: Buffer.from("log(1)") });
    const { sha256 = "" } = await upload.response;
    expect(sha256).toBe(sha256Of("console.log(1)"));
    await submit(peer, { bundle: sha256, argv: ["--x"] });
    const start = await node.next(({ startDriver }) => startDriver);
    expect(start).toMatchObject({ argv: ["program", "--x"], bundle: sha256 });
    await expect(submit(peer, { bundle: "0".repeat(64) })).rejects.toMatchObject({ code: "NOT_FOUND" });

    await expect(
      create(peer, anActor("actor-1", { ownerId: "", detached: true, code: { bundle: "0".repeat(64) } })),
    ).rejects.toThrow("upload it with PutBundle");

    const large = peer.clientStream(jobsService.putBundle);
    large.stream.on("error", () => undefined);
    large.stream.end({ data: Buffer.alloc(1_001) });
    await expect(large.response).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  });

  it("an upload that stalls is given up", async () => {
    const peer = bench.peer(await bench.start({ rpcTimeoutMs: 50 }));
    const upload = peer.clientStream(jobsService.putBundle);
    upload.stream.on("error", () => undefined);
    upload.stream.write({ data: Buffer.from("a") });
    await expect(upload.response).rejects.toMatchObject({ code: "GET_TIMEOUT" });
  });
});
