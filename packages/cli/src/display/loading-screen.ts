/**
 * Runs what takes long before anything is said. libtensorflow writes to standard error while it loads,
 * whatever it is told; on a terminal its lines are left behind on the alternate screen.
 */
export async function withLoadingScreen<T>(
  text: string,
  stream: NodeJS.WriteStream,
  call: () => Promise<T>,
): Promise<T> {
  if (!stream.isTTY) return await call();
  const leave = () => stream.write("\x1b[?1049l");
  stream.write(`\x1b[?1049h\x1b[H${text}\n`);
  // Also when a signal or a crash ends the process meanwhile.
  process.once("exit", leave);
  try {
    return await call();
  } finally {
    process.off("exit", leave);
    leave();
  }
}
