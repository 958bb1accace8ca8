/**
 * Two Node processes that send each other bytes over TCP connections of this host, each of which has a thread of its own in both: what the
 * exchange of learners is held against.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

const pieceBytes = 2 ** 21;
/** The argument with which this file is the other process. */
const asPeer = "tcp-peer";
const own = fileURLToPath(import.meta.url);

export interface TcpRound {
  readonly seconds: number;
  readonly sentBytes: number;
  readonly cpuSeconds: number;
}

const program = new URL("./tcp-thread.mjs", import.meta.url);
const thread = (pieces: number, port?: number) =>
  new Worker(program, { workerData: { pieces, pieceBytes, port }, execArgv: [] });

/** Exchanges so many bytes with a new process. */
export async function exchangedOverTcp(bytes: number, connections = 1): Promise<TcpRound> {
  const pieces = Math.ceil(bytes / pieceBytes / connections);
  const threads = Array.from({ length: connections }, () => thread(pieces));
  const next = () => Promise.all(threads.map(async (one) => (await once(one, "message"))[0] as number));
  const ports = await next();
  const accepted = next();
  const other = fork(own, [asPeer, String(pieces), ...ports.map(String)]);
  const ended = once(other, "exit");
  await accepted;
  const before = { cpu: process.cpuUsage(), at: performance.now() };
  const done = next();
  for (const one of threads) one.postMessage("begin");
  await done;
  const seconds = (performance.now() - before.at) / 1000;
  const { user, system } = process.cpuUsage(before.cpu);
  await ended;
  return { seconds, sentBytes: pieces * pieceBytes * connections, cpuSeconds: (user + system) / 1e6 };
}

const [, , kind, pieces, ...ports] = process.argv;
if (kind === asPeer) for (const port of ports) thread(Number(pieces), Number(port));
