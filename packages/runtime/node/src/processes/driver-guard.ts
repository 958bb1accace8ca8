import { Socket } from "node:net";

// This file is loaded by --import before a driver's own program. It ends the driver, and everything that the driver has
// started, when its node is gone. The channel that reports this does not keep a finished driver running.
function end(): never {
  try {
    // The node has made it the leader of a process group.
    process.kill(-process.pid, "SIGKILL");
  } catch {
    // The driver leads no process group, so it ends only itself.
  }
  process.exit(1);
}

const channel = new Socket({ fd: 3, readable: true, writable: false });
channel.on("error", end);
channel.on("close", end);
channel.resume();
channel.unref();
