/**
 * Responsibility: runs, in a warm process that waits for its actor, what every actor's start and first call run: V8
 * compiles code as it first runs it, and a process from a snapshot loads some modules of Node.js only then. It takes
 * half of the time of a start.
 * Not responsible for: anything that stays. Its servers are closed, and its credentials are known to nobody.
 */
import { createMetrics, serveMetrics } from "@palimpsest/telemetry";
import {
  actorHostService,
  addresseeMetadata,
  Credentials,
  encodeValue,
  grpcNetwork,
  httpGuard,
  newToken,
} from "@palimpsest/wire";
import { importModule } from "../base/actor-class.js";
import { ActorHost } from "../host/actor-host.js";

const host = "127.0.0.1";
const timeoutMs = 60_000;

class Rehearsed {
  echo(value: string): string {
    return value;
  }
}

/** Serves a class, calls it once, and ends. @throws what a start may throw */
export async function rehearse(): Promise<void> {
  const credentials = Credentials.ofCluster(newToken());
  const network = grpcNetwork({ credentials });
  // The metrics of the process itself would go on watching it.
  const metrics = createMetrics({ component: "actor", processMetrics: false });
  const named = { actorId: "actor-rehearsed", incarnation: 1 };
  const limits = { maxConcurrency: 1, maxPendingCalls: 1, maxPendingBytes: 1_024 };
  const [served, pages] = await Promise.all([
    ActorHost.start(
      { ...named, ...limits, concurrencyGroups: {}, methodGroups: {}, network, listenHost: host },
      { metrics },
    ),
    serveMetrics(metrics.registry, { guard: httpGuard(credentials), host, port: 0 }),
    importModule("data:text/javascript,"),
  ]);
  served.host.serve(new Rehearsed());
  const peer = network.connect(served.address, "calls");
  try {
    await new Promise<void>((resolve, reject) => {
      const stream = peer.bidi(actorHostService.calls, { timeoutMs, metadata: addresseeMetadata(named) });
      stream.on("error", reject);
      stream.on("data", () => stream.end());
      stream.on("end", resolve);
      stream.write({ frames: [{ call: { callId: 1, method: "echo", args: encodeValue(["ok"]) } }] });
    });
  } finally {
    peer.close();
    await Promise.all([served.host.close(), pages.close()]);
  }
}
