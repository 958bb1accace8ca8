interface Terminal {
  readonly isTTY?: boolean;
  columns: number;
  rows: number;
}

/** Takes a terminal that does not know its size for 80 by 24: those of containers and serial lines say 0, in which nothing can be drawn. */
export function knowSize(terminals: readonly Terminal[]): void {
  for (const terminal of terminals) {
    if (terminal.isTTY !== true) continue;
    terminal.columns ||= 80;
    terminal.rows ||= 24;
  }
}
