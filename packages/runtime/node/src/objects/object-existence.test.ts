import { PalimpsestError, type Peer } from "@palimpsest/wire";
import { expect, test } from "vitest";
import { existing } from "./object-existence.js";

const store = { find: () => undefined };
const headThat = (unary: () => Promise<unknown>) => () => ({ unary }) as unknown as Peer;

test("a head that has no time for the question is asked again, and does not fail a program's task", async () => {
  const late = headThat(() => Promise.reject(new PalimpsestError("GET_TIMEOUT", "Deadline exceeded")));
  await expect(existing(store, late, ["aa"])).rejects.toMatchObject({ code: "UNAVAILABLE" });
  const refuses = headThat(() => Promise.reject(new PalimpsestError("PERMISSION_DENIED", "no")));
  await expect(existing(store, refuses, ["aa"])).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  const knows = headThat(async () => ({ objectIds: ["bb"] }));
  expect(await existing(store, knows, ["aa", "bb"])).toEqual(["aa"]);
});
