import * as fc from "fast-check";
import { expect, it } from "vitest";
import { createLogger, type LogLevel } from "./logger.js";

function written(
  format: "text" | "json",
  log: (logger: ReturnType<typeof createLogger>) => void,
  level: LogLevel = "info",
) {
  let text = "";
  const destination = {
    write: (line: string) => {
      text += line;
    },
  };
  log(createLogger({ component: "node", level, destination, format }));
  return text;
}

it("says time, level, component, message and fields", () => {
  const text = written("text", (logger) =>
    logger.warn(
      { head: "127.0.0.1:1", reason: "it is away", count: 3, labels: { a: "b" } },
      "no head accepts this node",
    ),
  );
  expect(text).toMatch(
    /^\d{4}-\d\d-\d\dT[\d:.]+Z WARN {2}node: no head accepts this node head=127\.0\.0\.1:1 reason="it is away" count=3 labels=\{"a":"b"\}\n$/,
  );
});

it("shows the message of an error, and its stack where it is no warning", () => {
  const error = new Error("broke");
  const warned = written("text", (logger) => logger.warn({ err: error }, "link"));
  expect(warned).toMatch(/link err="broke"\n$/);
  const failed = written("text", (logger) => logger.error({ err: error }, "link"));
  expect(failed).toMatch(/link err="broke"\n( {4}at .+\n)+$/);
});

it("tells a record with odd fields of its own as it is", () => {
  const text = written("text", (logger) => logger.info({ pid: "none", component: 7 }, "odd"));
  expect(text).toContain('"msg":"odd"');
});

it("keeps one line per event, whatever is logged, and hides secrets as JSON does", async () => {
  await fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (message, value) => {
      const text = written("text", (logger) => logger.info({ value }, message));
      expect(text.split("\n")).toHaveLength(2);
      expect(text.slice(0, -1)).not.toMatch(/\p{Cc}/u);
    }),
  );
  const clear = "\u009b2J";
  const controlled = written("text", (logger) =>
    logger.info({ [clear]: { clear }, err: new Error(clear) }, clear),
  );
  expect(controlled.slice(0, -1)).not.toMatch(/\p{Cc}/u);
  expect(written("text", (logger) => logger.info({ token: "secret-1" }, "x"))).not.toContain("secret-1");
});
