/**
 * Closes the connections of a program that ends by its last line, as it would have by close(). Node says so when nothing
 * keeps the process running any more: no call, no timer and no connection of the program's own.
 */

interface Open {
  close(): Promise<void>;
}

const open = new Set<Open>();

/** @param connection is closed at the end of the program, unless closedEarlier() was called */
export function closeAtEnd(connection: Open): void {
  if (open.size === 0) process.on("beforeExit", closeAll);
  open.add(connection);
}

export function closedEarlier(connection: Open): void {
  if (open.delete(connection) && open.size === 0) process.off("beforeExit", closeAll);
}

function closeAll(): void {
  for (const connection of [...open]) void connection.close();
}
