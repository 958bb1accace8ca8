/** A thread of tcp-pair.ts with a connection of its own: it listens where it is given no port, and begins to send when it is told to. */
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

const { pieces, pieceBytes, port } = workerData;
const host = "127.0.0.1";

/** Sends and receives all pieces at the same time. */
async function exchange(socket) {
  const piece = Buffer.alloc(pieceBytes, 1);
  const received = new Promise((resolve) => {
    let bytes = 0;
    socket.on("data", (data) => {
      bytes += data.length;
      if (bytes === pieces * pieceBytes) resolve();
    });
  });
  for (let sent = 0; sent < pieces; sent++) await new Promise((resolve) => socket.write(piece, resolve));
  await received;
  socket.end();
}

if (port !== undefined) {
  const socket = connect({ port, host, noDelay: true });
  // The other side sends first, when all of its threads are ready.
  await once(socket, "readable");
  await exchange(socket);
} else {
  const server = createServer({ noDelay: true });
  server.listen(0, host);
  await once(server, "listening");
  const connected = once(server, "connection");
  parentPort.postMessage(server.address().port);
  const [socket] = await connected;
  server.close();
  parentPort.postMessage("connected");
  parentPort.once("message", async () => {
    await exchange(socket);
    parentPort.postMessage("done");
  });
}
