/**
 * Source of the program between an actor and what it starts; its arguments: milliseconds of grace, path of the log, bytes
 * of it, command, the command's arguments. It starts the command in a process group of its own and ends the group when its
 * own input closes, which is when the actor says so or has gone. What the group prints goes through it to the log, of which
 * the newest bytes are kept. It is source text since an actor's code may be a bundle, beside which no second file lies.
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
const end = (signal) => { try { process.kill(-child.pid, signal); } catch {} };
child.stdout.on("data", keep);
child.stderr.on("data", keep);
child.on("error", (reason) => { keep(Buffer.from(String(reason))); process.exit(127); });
child.on("exit", (code) => {
  end("SIGKILL");
  const leave = () => process.exit(code ?? 1);
  child.on("close", leave);
  // What has left the group may hold the pipes forever.
  setTimeout(leave, Number(graceMs));
});
process.stdin.on("end", () => {
  end("SIGTERM");
  setTimeout(() => end("SIGKILL"), Number(graceMs));
});
process.stdin.resume();
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => {});
`;
