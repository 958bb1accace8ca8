import { expect, it } from "vitest";
import { z } from "zod";
import { parseInput } from "./index.js";

const schema = z.strictObject({
  count: z.int().min(1).max(8).default(1),
  share: z.number().gt(0).optional(),
  kind: z.enum(["bm25", "embedding"]).optional(),
  names: z.array(z.string().min(1)).min(1).max(2).optional(),
  limits: z.record(z.string(), z.strictObject({ cpu: z.number() })).optional(),
  apiKey: z.string().max(3).optional(),
  token: z.string().max(3).optional(),
  url: z.url({ error: "must be a URL" }).optional(),
  source: z
    .discriminatedUnion("from", [
      z.strictObject({ from: z.literal("file"), path: z.string() }),
      z.strictObject({ from: z.literal("hub"), repo: z.string() }),
    ])
    .optional(),
  seed: z.union([z.string(), z.strictObject({ start: z.number() })]).optional(),
  nothing: z.undefined().optional(),
  mode: z.literal(["a", undefined]).optional(),
  answers: z
    .union([
      z.union([z.string(), z.bigint()]),
      z.array(z.union([z.string(), z.bigint()])),
      z.array(z.string()),
    ])
    .optional(),
});

const refusal = (value: unknown) => {
  try {
    parseInput(schema, value, (problem) => new Error(problem), {
      former: { customs: "share" },
      fields: { count: "--count" },
    });
  } catch (reason) {
    return reason instanceof Error ? reason.message : "";
  }
  return "accepted";
};

it.each([
  [3, "must be an object; it is 3"],
  [null, "must be an object; it is null"],
  [{ count: 0 }, "--count: must be at least 1; it is 0"],
  [{ count: 9.5 }, "--count: must be a whole number; it is 9.5"],
  [{ count: Number.NaN }, "--count: must be a number; it is NaN"],
  [{ share: Number.POSITIVE_INFINITY }, "share: must be a finite number; it is Infinity"],
  [{ share: 0 }, "share: must be above 0; it is 0"],
  [{ kind: "bm52" }, 'kind: must be "bm25" or "embedding"; it is "bm52"; did you mean "bm25"?'],
  [{ names: [] }, "names: must not be empty; it is []"],
  [{ names: ["a", "b", "c"] }, "names: must have at most 2 entries; it is [ 'a', 'b', 'c' ]"],
  [{ names: ["", 3] }, 'names[0]: must not be empty; it is "" | names[1]: must be a text; it is 3'],
  [
    { limits: { gpu: { cpus: 1 } } },
    'limits.gpu.cpu: must be a number; it is missing | limits.gpu: unknown key "cpus"; did you mean "cpu"?',
  ],
  [{ mode: "b" }, 'mode: must be "a" or left out; it is "b"; did you mean "a"?'],
  [{ answers: {} }, "answers: must be a text, or a whole number, or a list; it is {}"],
  [{ customs: 1 }, 'unknown key "customs"; did you mean "share"?'],
  [
    { x1: 1, x2: 2, cuont: 2 },
    /^unknown key "cuont"; did you mean "count"\?; unknown keys "x1", "x2"; leave them out, or use one of count, /,
  ],
  [{ source: { from: "hubb" } }, 'source.from: must be "file" or "hub"; it is "hubb"; did you mean "hub"?'],
  [
    { source: { from: "hub", path: "x" } },
    'source.repo: must be a text; it is missing | source: unknown key "path"; leave it out, or use one of from, repo',
  ],
  [{ seed: 3 }, "seed: must be a text, or an object; it is 3"],
  [
    { seed: { strat: 3 } },
    'seed.start: must be a number; it is missing | seed: unknown key "strat"; did you mean "start"?',
  ],
  [
    { apiKey: "sk-1234" },
    "apiKey: must have at most 3 characters; it is hidden here, because it is a secret",
  ],
  [{ names: { token: "sk-1234" } }, "names: must be a list; it is { token: … }"],
  [{ url: "redis//me:word@host" }, 'url: must be a URL; it is "redis//me:word@host"'],
  [{ kind: "redis://me:word@host" }, 'kind: must be "bm25" or "embedding"; it is "redis://…@host"'],
  [{ kind: "\ud83d" }, 'kind: must be "bm25" or "embedding"; it is "\\ud83d"'],
  [{ kind: "x".repeat(5_000) }, `kind: must be "bm25" or "embedding"; it is "${"x".repeat(80)}…"`],
])("%j is refused by field, value and fix", (value, said) => {
  const message = refusal(value);
  if (typeof said === "string") expect(message).toBe(said);
  else expect(message).toMatch(said);
});

it("tells a mistyped name even where much is missing", () => {
  const wanted = z.strictObject(
    Object.fromEntries([..."abcdefgh", "learner"].map((name) => [name, z.string()])),
  );
  expect(() => parseInput(wanted, { lerner: "x" }, (problem) => new Error(problem))).toThrow(
    'unknown key "lerner"; did you mean "learner"?',
  );
});

it("gives what the schema gives", () => {
  expect(parseInput(schema, {}, () => new Error("never"))).toEqual({ count: 1 });
});
