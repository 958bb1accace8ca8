import type { ServerWritableStream } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { PalimpsestError } from "../base/error.js";
import { tokenMayCall, tokenRoles } from "../protocol/access.js";
import { headService, jobsService, nodeLogsService, objectsService } from "../protocol/services.js";
import { type CallRecord, callerOf } from "../security/authorization.js";
import { Credentials, roleToken } from "../security/credentials.js";
import { servePart } from "./handlers.js";
import { LocalCalls } from "./local-calls.js";
import { unary } from "./server.js";

const token = "the cluster's token";
const from = (sent: string | undefined) => ({
  authorization: sent && `Bearer ${sent}`,
  certificate: undefined,
  peer: "127.0.0.1:1",
});

function localCalls(): { readonly calls: LocalCalls; readonly records: CallRecord[] } {
  const records: CallRecord[] = [];
  const calls = new LocalCalls(Credentials.ofCluster(token), (record) => records.push(record));
  servePart(calls, headService, {
    getCluster: unary((_request: object, call) => ({ version: callerOf(call).tokenRole })),
    shutdown: unary(() => {
      throw new PalimpsestError("ALREADY_EXISTS", "it ends already");
    }),
  });
  servePart(calls, jobsService, {
    logs: (stream: ServerWritableStream<object, object>) => {
      for (const text of ["one", "two"]) stream.write({ data: Buffer.from(text) });
      stream.end();
    },
  });
  return { calls, records };
}

test("LOCALCALLS-1. every method is called for the roles that the gRPC server lets in, and for nobody else", async () => {
  const { calls } = localCalls();
  for (const method of [...Object.values(headService), ...Object.values(jobsService)])
    for (const role of tokenRoles)
      expect(calls.allows(method as never, from(roleToken(token, role))), `${method.name} ${role}`).toBe(
        tokenMayCall(role, method.access),
      );
  for (const sent of [undefined, "", "another"]) {
    expect(calls.allows(headService.getCluster, from(sent))).toBe(false);
    await expect(calls.unary(headService.getCluster, {}, from(sent))).rejects.toThrow("UNAUTHENTICATED");
  }
});

test("a handler knows its caller; its error is the caller's; refused and audited calls are recorded", async () => {
  const { calls, records } = localCalls();
  const reader = from(roleToken(token, "reader"));
  expect(await calls.unary(headService.getCluster, {}, reader)).toEqual({ version: "reader" });
  await expect(calls.unary(headService.shutdown, {}, reader)).rejects.toThrow("PERMISSION_DENIED");
  await expect(calls.unary(headService.shutdown, {}, from(token))).rejects.toMatchObject({
    code: "ALREADY_EXISTS",
  });
  await expect(calls.unary(headService.listNodes, {}, reader)).rejects.toThrow("NOT_FOUND");
  // A method of another process admits those whom that process would.
  expect(() => calls.admit(nodeLogsService.getLog, reader)).not.toThrow();
  expect(() => calls.admit(objectsService.put, reader)).toThrow("PERMISSION_DENIED");
  expect(records).toEqual([
    expect.objectContaining({
      method: headService.shutdown.path,
      outcome: "PERMISSION_DENIED",
      refused: true,
    }),
    expect.objectContaining({ method: headService.shutdown.path, outcome: "ALREADY_EXISTS", refused: false }),
    expect.objectContaining({ method: objectsService.put.path, refused: true }),
  ]);
});

test("the messages of a stream come until its end, or until the signal", async () => {
  const { calls } = localCalls();
  const { signal } = new AbortController();
  const texts: string[] = [];
  for await (const chunk of calls.stream(jobsService.logs, { jobId: "a" }, from(token), signal))
    texts.push(String(chunk.data));
  expect(texts).toEqual(["one", "two"]);
  const waiting = new LocalCalls(Credentials.ofCluster(token), () => undefined);
  let cancelled = false;
  servePart(waiting, jobsService, {
    logs: (stream: ServerWritableStream<object, object>) => {
      stream.on("cancelled", () => {
        cancelled = true;
      });
    },
  });
  const abort = new AbortController();
  const reading = waiting.stream(jobsService.logs, { jobId: "a" }, from(token), abort.signal).next();
  abort.abort();
  expect((await reading).done).toBe(true);
  expect(cancelled).toBe(true);
});
