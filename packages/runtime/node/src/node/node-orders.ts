/**
 * Responsibility: carrying out the head's orders once this node is registered.
 * Not responsible for: whether the head may be obeyed (link.ts).
 */
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { ownProfile } from "../processes/own-profile.js";
import type { NodeParts } from "./node-parts.js";
import type { NodeProcesses } from "./node-processes.js";

export interface NodeOrdersDeps {
  readonly processes: NodeProcesses;
  readonly parts: Pick<NodeParts, "objects" | "credentials">;
  readonly send: (message: proto.NodeMessage.$Properties) => void;
  readonly stopNode: (reason: string, restart: boolean) => void;
}

export class NodeOrders {
  readonly #deps: NodeOrdersDeps;

  constructor(deps: NodeOrdersDeps) {
    this.#deps = deps;
  }

  carryOut(message: proto.HeadMessage.$Properties): void {
    const { supervisor, drivers } = this.#deps.processes;
    const { objects, credentials } = this.#deps.parts;
    if (message.startActor) supervisor.start(message.startActor);
    else if (message.stopActor) {
      const { actorId, graceMs, reason } = message.stopActor;
      supervisor.stop(actorId ?? "", graceMs ?? 0, reason || "the head stopped it");
    } else if (message.startDriver) drivers.start(message.startDriver);
    else if (message.stopDriver) {
      drivers.stop(message.stopDriver.jobId ?? "", message.stopDriver.graceMs ?? 0, "its job was stopped");
    } else if (message.endedHolders || message.dropObjects || message.recoverObject) objects.receive(message);
    else if (message.objectAllowance) objects.receive(message);
    else if (message.newToken) credentials.take(message.newToken);
    else if (message.stackRequest) void this.#answerStack(message.stackRequest);
    else if (message.drainObjects) void objects.drain(message.drainObjects.addresses ?? []);
    else if (message.stopNode) {
      const { reason, restart } = message.stopNode;
      this.#deps.stopNode(reason || "the head stopped it", restart ?? false);
    }
  }

  async #answerStack(request: proto.StackRequest.$Properties): Promise<void> {
    const report = await this.#report(request).catch((reason: unknown) => ({
      problem: PalimpsestError.from(reason).rawMessage,
    }));
    this.#deps.send({ stack: { ...report, requestId: request.requestId ?? "" } });
  }

  async #report({ actorId, profileMs, heap }: proto.StackRequest.$Properties) {
    const { supervisor } = this.#deps.processes;
    if (profileMs) {
      const options = { kind: heap ? "heap" : "cpu", durationMs: profileMs } as const;
      return { profile: await (actorId ? supervisor.stack(actorId).profile(options) : ownProfile(options)) };
    }
    // A node whose own thread is busy cannot answer, so the request runs into its deadline.
    if (!actorId) return { busy: false, method: "", frames: [] };
    const { busy, method, frames } = await supervisor.stack(actorId).read();
    return { busy, method, frames: [...frames] };
  }
}
