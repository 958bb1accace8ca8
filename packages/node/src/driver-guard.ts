// Loaded by --import before a driver's own program: the driver ends when its node is gone, with what it has started,
// and the channel that tells of it does not keep a driver alive that has finished.
function end(): never {
  try {
    // The node has made it the leader of a process group.
    process.kill(-process.pid, "SIGKILL");
  } catch {
    // It is not: only itself.
  }
  process.exit(1);
}

process.once("disconnect", end);
process.channel?.unref();
// The node may have gone before this line.
if (!process.connected) end();
