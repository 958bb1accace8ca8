import { expect, test } from "vitest";
import { pages } from "./pages.js";

/** A head with so many rows that answers at most `most` of them at once, and what it was asked. */
function head(rowCount: number, most: number) {
  const asked: (readonly [number, string])[] = [];
  const read = async (pageLimit: number, pageToken: string) => {
    asked.push([pageLimit, pageToken]);
    const first = pageToken === "" ? 0 : Number(pageToken);
    const end = Math.min(rowCount, first + Math.min(pageLimit, most));
    const rows = Array.from({ length: end - first }, (_, at) => first + at);
    return { rows, nextPageToken: end < rowCount ? String(end) : "" };
  };
  return { asked, read };
}

test("without a limit every page is read, each row once and in order", async () => {
  const { asked, read } = head(2_500, 1_000);
  expect(await pages(undefined, read)).toEqual(Array.from({ length: 2_500 }, (_, at) => at));
  expect(asked).toEqual([
    [1_000, ""],
    [1_000, "1000"],
    [1_000, "2000"],
  ]);
});

test("a limit is asked for and no more, also across pages that are shorter than asked", async () => {
  const { asked, read } = head(2_500, 700);
  expect(await pages(1_200, read)).toHaveLength(1_200);
  expect(asked).toEqual([
    [1_000, ""],
    [500, "700"],
  ]);
});

test("a limit that the page's end meets asks for no further page", async () => {
  const { asked, read } = head(2_500, 1_000);
  expect(await pages(1_000, read)).toHaveLength(1_000);
  expect(asked).toHaveLength(1);
  expect(await pages(0, read)).toEqual([]);
});
