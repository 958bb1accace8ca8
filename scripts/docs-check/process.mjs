// One command line of a document as a process of its own group, so that what it starts can be ended with it.
import { spawn } from "node:child_process";
import { once } from "node:events";

/** It ends what hangs and judges no speed. */
const defaultTimeoutMs = 1_800_000;
/** Of a command that was asked to end. */
const graceMs = 30_000;
const keptCharacters = 20_000;

/**
 * Starts a line in a shell.
 * @param {string} line
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, input?: string }} options
 */
export function startLine(line, { cwd, env, input = "" }) {
  const child = spawn("bash", ["-c", line], { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  const looks = new Set();
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      output = (output + chunk).slice(-keptCharacters);
      for (const look of looks) look();
    });
  // A program that reads no input may close it first.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }));

  /** Sends the signal to the shell and all that it started; where the group has ended there is nobody to tell. */
  const signalGroup = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch (reason) {
      if (reason.code !== "ESRCH") throw reason;
    }
  };
  const stop = async () => {
    signalGroup("SIGTERM");
    const timer = setTimeout(() => signalGroup("SIGKILL"), graceMs);
    const end = await ended;
    clearTimeout(timer);
    return end;
  };

  return {
    get output() {
      return output;
    },
    stop,
    /** Waits for the end. @returns {Promise<string>} what went wrong; empty where nothing did */
    async end(expectedCode = 0, timeoutMs = defaultTimeoutMs) {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        void stop();
      }, timeoutMs);
      const { code, signal } = await ended;
      clearTimeout(timer);
      if (isLate) return `did not end within ${timeoutMs / 1000} s`;
      return code === expectedCode ? "" : `ended with ${signal ?? code} instead of ${expectedCode}`;
    },
    /** Waits until it says so. @returns {Promise<string>} what went wrong; empty where nothing did */
    async says(pattern, timeoutMs = defaultTimeoutMs) {
      let timer;
      const said = new Promise((resolve) => {
        const look = () => {
          if (pattern.test(output)) resolve("");
        };
        looks.add(look);
        look();
        timer = setTimeout(resolve, timeoutMs, `did not print ${pattern} within ${timeoutMs / 1000} s`);
      });
      const over = ended.then(
        ({ code, signal }) => `ended with ${signal ?? code} before it printed ${pattern}`,
      );
      const wrong = await Promise.race([said, over]);
      clearTimeout(timer);
      return wrong;
    },
  };
}
