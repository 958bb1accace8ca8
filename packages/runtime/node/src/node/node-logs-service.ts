import type { ServerWritableStream } from "@grpc/grpc-js";
import { type nodeLogsService, type ServiceHandlers, toGrpcError } from "@palimpsest/wire";
import { handOver } from "../base/hand-over.js";
import {
  type ActorLogChunk,
  type ActorLogRequest,
  type ActorLogsDeps,
  readActorLog,
} from "../processes/actor-logs.js";

type LogCall = ServerWritableStream<ActorLogRequest, ActorLogChunk>;

export function createNodeLogsHandlers(deps: ActorLogsDeps): ServiceHandlers<typeof nodeLogsService> {
  return { getLog: (call) => void send(deps, call) };
}

async function send(deps: ActorLogsDeps, call: LogCall): Promise<void> {
  const ended = new AbortController();
  call.on("cancelled", () => ended.abort());
  try {
    for await (const chunk of readActorLog(deps, call.request, ended.signal))
      await handOver(call, chunk, deps.clock);
    call.end();
  } catch (reason) {
    call.emit("error", toGrpcError(reason));
  }
}
