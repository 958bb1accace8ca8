/**
 * Source of the program between an actor and the process it starts. Its arguments are: milliseconds of grace, path of the log,
 * bytes of it, command, the command's arguments. It starts the command in a separate process group and ends the group when its
 * own input closes, which means that the actor asked for it or has ended. It writes the group's output to the log, of which
 * the newest bytes are kept. It is source text because an actor's code may be a bundle without a second file next to it.
 */
export const engineGuard = `
const { spawn } = require("node:child_process");
const { openSync, writeSync, closeSync, renameSync } = require("node:fs");
const [graceMs, logFile, logBytes, command, ...args] = process.argv.slice(1);
let log = openSync(logFile, "w");
let written = 0;
const keep = (bytes) => {
  // A full disk must not end the server.
  try {
    if (written + bytes.length > Number(logBytes)) {
      closeSync(log);
      renameSync(logFile, logFile + ".1");
      log = openSync(logFile, "w");
      written = 0;
    }
    written += bytes.length;
    writeSync(log, bytes);
  } catch {}
};
const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
// The process group may have ended already.
const end = (signal) => { try { process.kill(-child.pid, signal); } catch {} };
child.stdout.on("data", keep);
child.stderr.on("data", keep);
child.on("error", (reason) => { keep(Buffer.from(String(reason))); process.exit(127); });
child.on("exit", (code) => {
  end("SIGKILL");
  const leave = () => process.exit(code ?? 1);
  child.on("close", leave);
  // A process that has left the group may keep the pipes open forever.
  setTimeout(leave, Number(graceMs));
});
process.stdin.on("end", () => {
  end("SIGTERM");
  setTimeout(() => end("SIGKILL"), Number(graceMs));
});
process.stdin.resume();
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => {});
`;
