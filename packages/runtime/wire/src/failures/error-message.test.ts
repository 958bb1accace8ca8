import { Error as ErrorMessage } from "@palimpsest/wire/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PalimpsestError } from "../base/error.js";
import { thrownText } from "../base/thrown.js";
import { errorFromProto, errorToProto } from "./error-message.js";
import { toGrpcError } from "./status.js";

function overTheWire(reason: unknown): PalimpsestError {
  return errorFromProto(ErrorMessage.decode(ErrorMessage.encode(errorToProto(reason)).finish()));
}

test("an error returns as the same class with code, details, retryability and cause", () => {
  const cause = new TypeError("x is not a number");
  const back = overTheWire(
    new PalimpsestError("ACTOR_ERROR", "Counter.add threw", { details: { actorId: "actor-1" }, cause }),
  );
  expect(back).toBeInstanceOf(PalimpsestError);
  expect(back.code).toBe("ACTOR_ERROR");
  expect(back.message).toBe("[ACTOR_ERROR] Counter.add threw");
  expect(back.details).toEqual({ actorId: "actor-1" });
  expect(back.retryable).toBe(false);
  expect(back.cause).toBeInstanceOf(Error);
  expect((back.cause as Error).name).toBe("TypeError");
  expect((back.cause as Error).stack).toContain("error-message.test");
});

test("an error that was made retryable stays so", () => {
  expect(overTheWire(new PalimpsestError("INTERNAL", "try again", { retryable: true })).retryable).toBe(true);
});

test("a code of another version becomes INTERNAL and is named", () => {
  const back = errorFromProto({ code: "FROM_THE_FUTURE", message: "new" });
  expect(back.code).toBe("INTERNAL");
  expect(back.details["remoteCode"]).toBe("FROM_THE_FUTURE");
});

test("a chain of causes without end is cut", () => {
  const loop = new Error("loop");
  loop.cause = loop;
  let depth = 0;
  for (
    let error: unknown = overTheWire(new PalimpsestError("INTERNAL", "top", { cause: loop }));
    error instanceof Error;
    error = error.cause
  )
    depth++;
  expect(depth).toBeLessThan(12);
});

class QuotaError extends Error {
  override name = "QuotaError";
  readonly status = 429;
  readonly body = { retryAfter: 7, seen: [new Date(5), 2n] };
}

function thrownBy(reason: unknown): Error {
  const { cause } = overTheWire(new PalimpsestError("ACTOR_ERROR", "it threw", { cause: reason }));
  if (!(cause instanceof Error)) throw new Error("the cause did not arrive");
  return cause;
}

test("an error's own fields of plain data arrive as fields of the cause", () => {
  const cause = thrownBy(new QuotaError("quota is used up"));
  expect(cause).toMatchObject({
    name: "QuotaError",
    message: "quota is used up",
    status: 429,
    body: { retryAfter: 7, seen: [new Date(5), 2n] },
  });
  expect(thrownBy({ code: "E_PLAIN", why: "no error" })).toMatchObject({ code: "E_PLAIN", why: "no error" });
  expect(thrownBy(new DOMException("was aborted", "AbortError"))).toMatchObject({
    name: "AbortError",
    code: 20,
  });
});

test("a field that is no plain data, or too large, is left out; the others arrive", () => {
  const error = Object.assign(new Error("x"), {
    code: "E",
    socket: new (class Socket {})(),
    body: "b".repeat(1e6),
    call: () => 1,
    ["__proto__"]: 1,
  });
  const cause = thrownBy(error);
  expect(Object.keys(cause)).toEqual(["code"]);
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  expect(thrownBy(Object.assign(new Error("x"), { loop, status: 1 }))).toMatchObject({ status: 1 });
});

test("the errors of an AggregateError arrive, up to a number", () => {
  const errors = Array.from({ length: 20 }, (_, index) =>
    Object.assign(new TypeError(`reason ${index}`), { code: `E${index}` }),
  );
  const cause = thrownBy(new AggregateError(errors, "all failed"));
  expect(cause).toBeInstanceOf(AggregateError);
  const told = cause instanceof AggregateError ? cause.errors : [];
  expect(told[1]).toMatchObject({ name: "TypeError", message: "reason 1", code: "E1" });
  expect(told.at(-1).message).toContain("4 more errors");
});

test("an error of user code that is named like a code is not the cluster's (ERRORMESSAGE-2)", () => {
  const mine = new Error("mine");
  mine.name = "NOT_FOUND";
  const cause = thrownBy(mine);
  expect(cause).not.toBeInstanceOf(PalimpsestError);
  expect(cause.name).toBe("NOT_FOUND");
  expect(thrownBy(new PalimpsestError("NOT_FOUND", "the cluster's"))).toBeInstanceOf(PalimpsestError);
});

test("long texts are cut and say so, and all of an error together has a limit (ERRORMESSAGE-1)", () => {
  const cause = thrownBy(new Error("👍".repeat(1e6)));
  expect(Buffer.byteLength(cause.message)).toBeLessThanOrEqual(64 * 1024);
  expect(cause.message).toMatch(/^(👍)+ … \[\d+ bytes were cut here\]$/u);
  let chain = new Error("x".repeat(1e5));
  for (let depth = 0; depth < 20; depth++)
    chain = new AggregateError([chain, chain, chain], "y".repeat(1e5), { cause: chain });
  const top = new PalimpsestError("INTERNAL", "top", { cause: chain });
  expect(ErrorMessage.encode(errorToProto(top)).finish().byteLength).toBeLessThan(300_000);
  expect(ErrorMessage.encode(errorToProto(top, 8_192)).finish().byteLength).toBeLessThan(10_000);
});

const thrower = () => {
  throw new Error("a getter throws");
};
const hostile: Record<string, unknown> = {
  nothing: undefined,
  null: null,
  symbol: Symbol("s"),
  bigint: 7n,
  function: () => 1,
  noPrototype: Object.create(null),
  toStringThrows: { toString: thrower, [Symbol.toPrimitive]: thrower },
  inspectThrows: { [Symbol.for("nodejs.util.inspect.custom")]: thrower },
  messageThrows: Object.defineProperty(new Error("x"), "message", { get: thrower }),
  everythingThrows: new Proxy(new Error("x"), {
    get: thrower,
    has: thrower,
    ownKeys: thrower,
    getPrototypeOf: thrower,
  }),
  messageIsObject: Object.assign(new Error("x"), { message: { deep: 1 } }),
  nameIsNumber: Object.assign(new Error("x"), { name: 5 }),
  stackIsList: Object.assign(new Error("x"), { stack: [{ line: 1 }] }),
  errorsIsNoList: Object.assign(new AggregateError([], "x"), { errors: 5 }),
  frozen: Object.freeze(new Error("frozen")),
  detailsAreNoTexts: new PalimpsestError("INTERNAL", "x", { details: { a: 5 as never } }),
  causeIsObject: new Error("x", { cause: Object.create(null) }),
};
test.each(Object.keys(hostile))("a thrown value is told, whatever it is: %s (ERRORMESSAGE-1)", (name) => {
  const reason = hostile[name];
  expect(overTheWire(reason).message).toBeTypeOf("string");
  const cause = thrownBy(reason === undefined ? "undefined" : reason);
  expect(cause.message).toBeTypeOf("string");
  expect(thrownText(reason)).toBeTypeOf("string");
});

test("any text of a thrown error arrives well-formed (ERRORMESSAGE-1)", () => {
  const text = fc.string({ unit: "binary", maxLength: 100 });
  fc.assert(
    fc.property(text, text, text, text, (name, message, stack, field) => {
      const error = Object.assign(new Error(message), { name, stack, [field]: field });
      const cause = thrownBy(error);
      if (field !== "message") expect(cause.message).toBe(message.toWellFormed());
      expect(cause.name.isWellFormed()).toBe(true);
      expect(toGrpcError(error).details.isWellFormed()).toBe(true);
    }),
  );
});
