import { expect, test } from "vitest";
import { EchoedOutput } from "./echoed-output.js";

/** Prints what the actors say and returns it. */
async function echoOf(
  actors: Readonly<Record<string, readonly string[]>>,
  atMs: () => number = () => 0,
  waitingBytes: (written: readonly string[]) => number = () => 0,
) {
  const written: string[] = [];
  let ended = 0;
  const echo = new EchoedOutput({
    clock: { now: atMs, monotonicMs: atMs, after: () => () => undefined },
    started: async (actorId) => (actorId === "never" ? undefined : 42),
    async *output(actorId) {
      for (const chunk of actors[actorId] ?? []) yield Buffer.from(chunk, "latin1");
      ended++;
      if (actorId === "broken") throw new Error("the node is gone");
    },
    write: (text) => {
      if (text !== "") written.push(text);
      return waitingBytes(written);
    },
  });
  for (const actorId of Object.keys(actors)) echo.created(actorId, "Ledger");
  const all = Object.keys(actors).filter((actorId) => actorId !== "never").length;
  for (let turn = 0; turn < 100 && ended < Math.min(all, 100); turn++)
    await new Promise((resolve) => setImmediate(resolve));
  echo.close();
  return written;
}

test("lines have the name and the process of their actor, however the output is cut", async () => {
  const text = Buffer.from("olá\nsecond\nlast").toString("latin1");
  const written = await echoOf({ a: [text.slice(0, 3), text.slice(3, 8), text.slice(8)], never: ["x\n"] });
  expect(written).toEqual(["(Ledger pid=42) olá\n", "(Ledger pid=42) second\n", "(Ledger pid=42) last\n"]);
});

test("output that breaks off is printed as far as it came (ECHO-2)", async () => {
  expect(await echoOf({ broken: ["one\n"] })).toEqual(["(Ledger pid=42) one\n"]);
});

test("a flood is cut and said, and so are too many processes (ECHO-1)", async () => {
  let nowMs = 0;
  const flood = await echoOf({ a: ["x\n".repeat(5_000), "last\n"] }, () => nowMs++ / 10);
  expect(flood.length).toBeLessThan(2_000);
  expect(flood.at(-1)).toBe("palimpsest: 4001 lines of output were left out\n");
  nowMs = 0;
  const slow = await echoOf({ a: ["x\n".repeat(3_000)] }, () => nowMs++ / 2);
  expect(slow).toContain("palimpsest: 1000 lines of output were left out\n");
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`a${index}`, ["x\n"]]));
  expect(
    (await echoOf(many)).filter((line) => line.startsWith("palimpsest: the output of 100")),
  ).toHaveLength(1);
});

test("nothing is kept for a reader that takes nothing, and what it missed is said (ECHO-1)", async () => {
  let nowMs = 0;
  const written = await echoOf(
    { a: [`${"x\n".repeat(300)}`] },
    () => (nowMs += 10),
    (lines) => (lines.length >= 5 && nowMs < 2_000 ? 2 ** 23 : 0),
  );
  const said = written.findIndex((line) => line.includes("left out"));
  expect(said).toBe(5);
  const [, count] = /(\d+) lines/.exec(written[said] ?? "") ?? [];
  expect(written.length - 1 + Number(count)).toBe(300);
});

test("a long line comes in pieces, and nothing of it is lost", async () => {
  const line = `a${"日本語で書かれた長い行🙂".repeat(5_000)}`;
  const bytes = Buffer.from(`${line}\nend`).toString("latin1");
  const prefix = "(Ledger pid=42) ";
  const written = await echoOf({ a: [bytes] });
  expect(written.slice(0, -1).every((piece) => piece.startsWith(prefix) && piece.length < 34_000)).toBe(true);
  expect(
    written
      .slice(0, -1)
      .map((piece) => piece.slice(prefix.length, -1))
      .join(""),
  ).toBe(line);
  expect(written.at(-1)).toBe(`${prefix}end\n`);
});
