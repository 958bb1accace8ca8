import { inspect } from "node:util";
import { expect, it } from "vitest";
import { CodedError } from "./coded-error.js";

class ShelfError extends CodedError<"FULL"> {
  constructor(
    message: string,
    options: { cause?: unknown; details?: Readonly<Record<string, unknown>> } = {},
  ) {
    super("ShelfError", "FULL", message, options);
  }
}

it("prints its name and code before the message, and the message once", () => {
  const error = new ShelfError("shelf 3 is full; take another");
  expect(error.rawMessage).toBe("shelf 3 is full; take another");
  expect(inspect(error).split("\n")[0]).toBe("ShelfError: [FULL] shelf 3 is full; take another");
  expect(inspect(error).match(/shelf 3/g)).toHaveLength(1);
  expect("cause" in error).toBe(false);
});

it("shows details and a cause where they are given, and no empty ones", () => {
  const cause = new RangeError("9 books");
  const error = new ShelfError("shelf 3 is full; take another", { cause, details: { shelf: 3 } });
  expect(inspect(error)).toContain("details: { shelf: 3 }");
  expect(error.cause).toBe(cause);
  expect(inspect(new ShelfError("full"))).not.toContain("details");
});
