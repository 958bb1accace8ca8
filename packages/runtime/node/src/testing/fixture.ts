import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLogger } from "@palimpsest/telemetry";
import {
  actorHostService,
  addresseeMetadata,
  decodeValue,
  encodeValue,
  errorFromProto,
  grpcNetwork,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { NodeConfig } from "../base/config.js";
import { NodeManager } from "../node/node-manager.js";
import type { FakeHead } from "./fake-head.js";

/** A package that depends on the worker, as the CLI does in an installation. */
const installation = fileURLToPath(new URL("../../../../apps/cli/package.json", import.meta.url));
const counterModule = new URL("../../../worker/fixtures/counter.mjs", import.meta.url);

export const quiet = createLogger({ component: "test", level: "silent" });

export interface TestNode extends AsyncDisposable {
  readonly manager: NodeManager;
  readonly dataDir: string;
}

export async function startNode(head: FakeHead, overrides: Partial<NodeConfig> = {}): Promise<TestNode> {
  const dataDir = await mkdtemp(join(tmpdir(), "palimpsest-node-"));
  const manager = await NodeManager.start(
    {
      headAddress: head.address,
      token: head.token,
      dataDir,
      modulesFrom: installation,
      objectStoreDir: dataDir,
      objectStoreBytes: 64 * 1024 * 1024,
      gpus: 0,
      stopGraceMs: 2_000,
      warmProcesses: 0,
      ...overrides,
    },
    { logger: quiet, environment: { PATH: process.env["PATH"] } },
  );
  await manager.registered();
  return {
    manager,
    dataDir,
    async [Symbol.asyncDispose]() {
      await manager.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Orders the node to start a counter of packages/runtime/worker/fixtures as a bundle. */
export async function startCounter(
  head: FakeHead,
  options: {
    readonly actorId?: string;
    readonly incarnation?: number;
    readonly args?: readonly unknown[];
  } = {},
): Promise<string> {
  const bundle = head.addBundle(await readFile(counterModule));
  const actorId = options.actorId ?? "actor-counter";
  head.send({
    startActor: {
      incarnation: options.incarnation ?? 1,
      spec: {
        actorId,
        code: { bundle, exportName: "Counter" },
        args: encodeValue(options.args ?? [0]),
        maxConcurrency: 10,
        role: "counter",
        ownerId: "session-test",
      },
    },
  });
  return actorId;
}

/** Makes one call over a stream of its own. @throws the actor's error */
export async function callActor(
  started: proto.ActorStarted.$Properties,
  token: string,
  method: string,
  ...args: readonly unknown[]
): Promise<unknown> {
  const peer = grpcNetwork({ token }).connect(started.address ?? "");
  try {
    return await new Promise((resolve, reject) => {
      const stream = peer.bidi(actorHostService.calls, {
        timeoutMs: 600_000,
        metadata: addresseeMetadata({
          actorId: started.actorId ?? "",
          incarnation: started.incarnation ?? 0,
        }),
      });
      stream.on("error", reject);
      stream.on("data", ({ replies }: proto.ReplyBatch.$Properties) => {
        const reply = replies?.[0];
        if (reply?.error) reject(errorFromProto(reply.error));
        else resolve(decodeValue(reply?.value ?? new Uint8Array()));
      });
      stream.write({ frames: [{ call: { callId: 1, method, args: encodeValue(args) } }] });
    });
  } finally {
    peer.close();
  }
}
