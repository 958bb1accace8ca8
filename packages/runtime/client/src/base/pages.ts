/** The number of rows that one request returns. */
const pageRows = 1_000;

/** Reads page after page until there are no more rows, or until there are `limit` of them. */
export async function pages<Row>(
  limit: number | undefined,
  read: (
    pageLimit: number,
    pageToken: string,
  ) => Promise<{ readonly rows: readonly Row[]; readonly nextPageToken: string }>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let pageToken = "";
  do {
    const left = limit === undefined ? pageRows : limit - rows.length;
    if (left < 1) break;
    const page = await read(Math.min(pageRows, left), pageToken);
    rows.push(...page.rows);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return rows;
}
