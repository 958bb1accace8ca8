import { EventEmitter } from "node:events";
import { Metadata, type ServerUnaryCall, type ServiceError, status } from "@grpc/grpc-js";
import { createMetrics } from "@palimpsest/telemetry";
import { headService, PalimpsestError } from "@palimpsest/wire";
import { expect, test } from "vitest";
import { Rpc, type RpcContext, type UnaryHandler } from "./rpc.js";

type Handler = UnaryHandler<Record<string, never>, { n: number }>;

/** Calls a method that answers within timeoutMs. */
function call(handle: Handler, timeoutMs = 60_000) {
  const rpc = new Rpc(createMetrics({ component: "head" }), timeoutMs);
  const arrived = Object.assign(new EventEmitter(), { request: {}, metadata: new Metadata() });
  const answers: (ServiceError | { n: number } | null | undefined)[] = [];
  const answered = new Promise<void>((resolve) =>
    rpc.unary(headService.shutdown, handle as never)(
      arrived as unknown as ServerUnaryCall<never, never>,
      (error, value) => {
        answers.push((error as ServiceError | null) ?? (value as { n: number } | null | undefined));
        resolve();
      },
    ),
  );
  return { arrived, answers, answered };
}

test("HEADRPC-1: answers with what the handler returns or throws, at once or later", async () => {
  const handlers: Handler[] = [
    () => ({ n: 1 }),
    async () => ({ n: 2 }),
    () => {
      throw new PalimpsestError("NOT_FOUND", "at once");
    },
    () => Promise.reject(new PalimpsestError("NOT_FOUND", "later")),
  ];
  const calls = handlers.map((handle) => call(handle));
  await Promise.all(calls.map(({ answered }) => answered));
  expect(calls.map(({ answers }) => answers)).toMatchObject([
    [{ n: 1 }],
    [{ n: 2 }],
    [{ code: status.NOT_FOUND }],
    [{ code: status.NOT_FOUND }],
  ]);
});

test("HEADRPC-2: the signal ends with the caller and with the bound, also for a handler that asks late", async () => {
  const contexts: RpcContext[] = [];
  const never: Handler = (_request, context) => {
    contexts.push(context);
    return new Promise(() => undefined);
  };
  const gone = call(never);
  const goneBefore = call(never);
  const late = call(never, 1);
  await late.answered;
  expect(late.answers).toMatchObject([{ code: status.DEADLINE_EXCEEDED }]);
  const [asksEarly, asksAfterwards, asksLate] = contexts;
  const signal = asksEarly?.signal;
  expect(signal?.aborted).toBe(false);
  gone.arrived.emit("cancelled");
  expect(signal?.aborted).toBe(true);
  expect(asksEarly?.signal).toBe(signal);
  expect(asksLate?.signal.aborted).toBe(true);
  Object.assign(goneBefore.arrived, { cancelled: true }).emit("cancelled");
  expect(asksAfterwards?.signal.aborted).toBe(true);
  expect(gone.answers).toEqual([]);
});
