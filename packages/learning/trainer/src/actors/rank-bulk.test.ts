import type { ActorBulk } from "@palimpsest/wire";
import { expect, test } from "vitest";
import { RankBulk } from "./rank-bulk.js";

type Read = Parameters<ActorBulk["serve"]>[0];

test("only what is late may be asked for again; another fault ends the asking at once, with its reason (RANKBULK-2)", async () => {
  let read: Read | undefined;
  const rank = new RankBulk(0, 60_000);
  await rank.serve({
    serve: async (reader) => {
      read = reader;
      return "127.0.0.1:1";
    },
    connect: () => {
      throw new Error("nothing is taken here");
    },
  });
  const ask = async (name: string, waitMs: number) =>
    await read?.({
      objectId: Buffer.from(`1:${name}`).toString("hex"),
      offsetBytes: 0,
      lengthBytes: 4,
      waitMs,
    });
  await expect(ask("5 0 p", 1)).rejects.toMatchObject({ code: "NOT_FOUND" });
  const first = ask("5 0 p", 60_000);
  await expect(ask("5 0 p", 60_000)).rejects.toMatchObject({
    code: "INTERNAL",
    message: expect.stringContaining('rank 1 sent "5 0 p" twice'),
  });
  rank.fail(new Error("rank 1 is gone"));
  await expect(first.catch((reason: unknown) => reason)).resolves.toBeDefined();
  await expect(ask("6 0 p", 1)).rejects.toMatchObject({
    code: "CANCELLED",
    message: expect.stringContaining("rank 1 is gone"),
  });
});
