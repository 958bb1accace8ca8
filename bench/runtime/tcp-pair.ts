/** Two Node processes that send each other bytes over one TCP connection of this host: what the exchange of learners is held against. */
import { fork } from "node:child_process";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";

const pieceBytes = 2 ** 21;
/** The argument with which this file is the other process. */
const asPeer = "tcp-peer";

export interface TcpRound {
  readonly seconds: number;
  readonly sentBytes: number;
  readonly cpuSeconds: number;
}

/** Sends and receives so many bytes at the same time. */
async function exchange(socket: Socket, bytes: number): Promise<TcpRound> {
  const piece = Buffer.alloc(pieceBytes, 1);
  const total = Math.ceil(bytes / pieceBytes) * pieceBytes;
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await Promise.all([
    new Promise<void>((resolve) => {
      let received = 0;
      socket.on("data", (data) => {
        received += data.length;
        if (received === total) resolve();
      });
    }),
    (async () => {
      for (let sent = 0; sent < total; sent += pieceBytes)
        await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
    })(),
  ]);
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    seconds: (performance.now() - startedAt) / 1000,
    sentBytes: total,
    cpuSeconds: (user + system) / 1e6,
  };
}

/** Exchanges so many bytes with a new process. */
export async function exchangedOverTcp(bytes: number): Promise<TcpRound> {
  const server = createServer({ noDelay: true });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
  const other = fork(fileURLToPath(import.meta.url), [asPeer, String(port), String(bytes)]);
  const ended = new Promise((resolve) => other.once("exit", resolve));
  const socket = await accepted;
  const round = await exchange(socket, bytes);
  socket.end();
  server.close();
  await ended;
  return round;
}

const [, , kind, port, bytes] = process.argv;
if (kind === asPeer) {
  const socket = connect({ port: Number(port), host: "127.0.0.1", noDelay: true });
  socket.once("connect", async () => {
    await exchange(socket, Number(bytes));
    socket.end();
  });
}
