/**
 * Runs slow work before the first output. libtensorflow writes to standard error while it loads, whatever its settings.
 * On a terminal its lines go to the alternate screen, which is closed afterwards.
 */
export async function withLoadingScreen<T>(
  text: string,
  stream: NodeJS.WriteStream,
  call: () => Promise<T>,
): Promise<T> {
  if (!stream.isTTY) return await call();
  const leave = () => stream.write("\x1b[?1049l");
  stream.write(`\x1b[?1049h\x1b[H${text}\n`);
  // The alternate screen is also closed if a signal or a crash ends the process in the meantime.
  process.once("exit", leave);
  try {
    return await call();
  } finally {
    process.off("exit", leave);
    leave();
  }
}
