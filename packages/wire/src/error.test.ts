import { Error as ErrorMessage } from "@palimpsest/wire/protocol";
import { expect, test } from "vitest";
import { errorFromProto, errorToProto, PalimpsestError } from "./error.js";

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
  expect((back.cause as Error).stack).toContain("error.test");
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
