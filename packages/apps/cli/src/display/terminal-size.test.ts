import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { createLogUpdate } from "log-update";
import { expect, it } from "vitest";
import { knowSize } from "./terminal-size.js";

it("draws on a terminal that says that it has no size, and leaves the others as they are", () => {
  const terminal = (size: { isTTY?: boolean; columns: number; rows: number }) =>
    Object.assign(new PassThrough({ encoding: "utf8" }), size);
  const unknown = terminal({ isTTY: true, columns: 0, rows: 0 });
  const known = terminal({ isTTY: true, columns: 132, rows: 50 });
  const file = terminal({ columns: 0, rows: 0 });
  knowSize([unknown, known, file]);
  const drawn = (stream: PassThrough) => {
    createLogUpdate(stream)("reading 10 %");
    return stripVTControlCharacters(String(stream.read() ?? ""));
  };
  expect(drawn(unknown)).toBe("reading 10 %\n");
  expect(known).toMatchObject({ columns: 132, rows: 50 });
  expect(file).toMatchObject({ columns: 0, rows: 0 });
});
