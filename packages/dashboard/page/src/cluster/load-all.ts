/** Loads the pages of a list until there are at least `most` rows. The caller reports that rows are left out. */
export async function loadAll<Row>(
  load: (page: string) => Promise<{ readonly rows: readonly Row[]; readonly next: string }>,
  most: number,
): Promise<{ readonly rows: readonly Row[]; readonly complete: boolean }> {
  const rows: Row[] = [];
  let page = "";
  do {
    const answer = await load(page);
    rows.push(...answer.rows);
    page = answer.next;
  } while (page !== "" && rows.length < most);
  return { rows, complete: page === "" };
}
