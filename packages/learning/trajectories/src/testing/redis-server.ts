/**
 * Starts a real redis-server for one test: on a free port, in a folder of its own, on loopback only, and ended by its
 * process id.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** How a test's `redis-server` is configured. */
export interface RedisServerOptions {
  /**
   * Whether every write is on disk before it is answered, so that killing and restarting loses nothing. Default false.
   */
  readonly appendOnly?: boolean;
  /** More lines of configuration, such as `["maxmemory-policy", "allkeys-lru"]`. */
  readonly config?: readonly (readonly [string, string])[];
  /** Default "redis-server", found on the PATH. */
  readonly binary?: string;
}

/** A `redis-server` process of a test. */
export interface RedisServer {
  /** Redis URL in the form that ioredis takes. The port stays the same across restarts. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Ends the process at once (SIGKILL), like a crash. */
  kill(): Promise<void>;
  /** Starts it again with the same port and folder, after `kill`. */
  start(): Promise<void>;
  /** Ends it and deletes its folder. */
  close(): Promise<void>;
}

const startAttempts = 5;
const startTimeoutMs = 600_000;

/** Starts a server and waits until it accepts connections. */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const dir = await mkdtemp(join(tmpdir(), "palimpsest-redis-"));
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      return running(await launch(port, dir, options), port, dir, options);
    } catch (error) {
      // Another process may have taken the port between the check and the start.
      if (attempt === startAttempts) {
        await rm(dir, { recursive: true, force: true });
        throw error;
      }
    }
  }
}

function running(first: ChildProcess, port: number, dir: string, options: RedisServerOptions): RedisServer {
  let child = first;
  async function kill(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    }
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return child.pid ?? -1;
    },
    kill,
    async start() {
      await kill();
      child = await launch(port, dir, options);
    },
    async close() {
      await kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function launch(port: number, dir: string, options: RedisServerOptions): Promise<ChildProcess> {
  const settings: (readonly [string, string])[] = [
    ["port", String(port)],
    ["bind", "127.0.0.1"],
    ["dir", dir],
    ["save", ""],
    ["appendonly", options.appendOnly ? "yes" : "no"],
    ["appendfsync", "always"],
    ["maxmemory-policy", "noeviction"],
    ...(options.config ?? []),
  ];
  const child = spawn(
    options.binary ?? "redis-server",
    settings.flatMap(([name, value]) => [`--${name}`, value]),
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  const lines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => fail("took too long to start"), startTimeoutMs);
    function fail(reason: string): void {
      clearTimeout(timer);
      child.kill("SIGKILL");
      reject(new Error(`redis-server ${reason}: ${lines.slice(-5).join(" | ")}`));
    }
    child.once("error", (error) => fail(error.message));
    child.once("exit", (code) => fail(`ended with ${code}`));
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line);
      if (line.includes("Ready to accept connections")) {
        clearTimeout(timer);
        child.removeAllListeners("exit");
        resolve();
      }
    });
  });
  // A test run that ends without close() must not leave the server behind.
  const killAtExit = (): void => void child.kill("SIGKILL");
  process.once("exit", killAtExit);
  child.once("exit", () => process.off("exit", killAtExit));
  return child;
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") {
    throw new Error("no port");
  }
  return address.port;
}
