/**
 * Responsibility: asking the process of an actor, node or driver for its JavaScript stack or a profile, and returning the
 * answer to the caller.
 * Not responsible for: taking them (the process itself does), or the RPC.
 *
 * Invariants:
 * - STACK-3. Each request is answered exactly once: by the process, or at its deadline.
 */
import type { Clock } from "@palimpsest/std";
import { newId, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { type Actor, defaultNamespace, fullNameOf, hasProcess } from "../tables/actor.js";
import type { ActorTable } from "../tables/actor-table.js";
import type { NodeTable } from "../tables/node-table.js";
import type { Sessions } from "../tables/sessions.js";

type Report = proto.StackReport.$Properties;

export interface StackRequestsDeps {
  readonly actors: ActorTable;
  readonly nodes: NodeTable;
  readonly sessions: Sessions;
  readonly clock: Clock;
}

interface Target {
  readonly title: string;
  readonly pid: number;
  /** Returns false if the process cannot be reached now. */
  readonly ask: (request: proto.StackRequest.$Properties) => boolean;
}

export class StackRequests {
  readonly #deps: StackRequestsDeps;
  readonly #open = new Map<string, (report: Report) => void>();

  constructor(deps: StackRequestsDeps) {
    this.#deps = deps;
  }

  /** @throws {PalimpsestError} NOT_FOUND, UNAVAILABLE, GET_TIMEOUT */
  async ask(
    target: string,
    timeoutMs: number,
    what: Pick<proto.StackRequest.$Properties, "profileMs" | "heap"> = {},
  ): Promise<Report> {
    const found = this.#find(target);
    if (found === undefined) {
      throw new PalimpsestError(
        "NOT_FOUND",
        `${JSON.stringify(target)} is not a running actor, a connected driver, a node or the process id of one; \`palimpsest list actors\` and \`palimpsest list nodes\` list them`,
      );
    }
    const { title, pid } = found;
    const requestId = newId("request");
    const report = await new Promise<Report>((resolve, reject) => {
      const cancel = this.#deps.clock.after(timeoutMs, () => {
        this.#open.delete(requestId);
        reject(
          new PalimpsestError(
            "GET_TIMEOUT",
            `${title} (pid ${pid}) did not answer within ${timeoutMs} ms: it may be stopped, or native code runs that never returns to JavaScript`,
          ),
        );
      });
      this.#open.set(requestId, (answer) => {
        cancel();
        resolve(answer);
      });
      if (found.ask({ requestId, ...what })) return;
      this.#open.delete(requestId);
      cancel();
      reject(new PalimpsestError("UNAVAILABLE", `${title} cannot be reached now: retry`));
    });
    return { ...report, title, pid: report.pid || pid };
  }

  answered(report: Report): void {
    const requestId = report.requestId ?? "";
    this.#open.get(requestId)?.(report);
    this.#open.delete(requestId);
  }

  #find(target: string): Target | undefined {
    return this.#actor(target) ?? this.#driver(target) ?? this.#node(target);
  }

  #actor(target: string): Target | undefined {
    const { actors, nodes } = this.#deps;
    const runs = (actor: Actor | undefined) => actor !== undefined && hasProcess(actor);
    const named = actors.get(target) ?? actors.byName(fullNameIn(target));
    const actor = runs(named)
      ? named
      : [...actors.all()].find((one) => runs(one) && String(one.pid) === target);
    if (actor === undefined) return undefined;
    const { actorId, role } = actor.spec;
    const name = fullNameOf(actor.spec);
    return {
      title: name ? `${role || "actor"} ${name} (${actorId})` : `${role || "actor"} ${actorId}`,
      pid: actor.pid,
      ask: (request) => nodes.send(actor.nodeId, { stackRequest: { ...request, actorId } }),
    };
  }

  #driver(target: string): Target | undefined {
    const { sessions } = this.#deps;
    const session = sessions
      .connected()
      .find(({ sessionId, jobId, name, pid }) => [sessionId, jobId, name, String(pid)].includes(target));
    if (session === undefined) return undefined;
    return {
      title: `driver ${session.name || session.sessionId}`,
      pid: session.pid,
      ask: (stackRequest) => {
        sessions.send(session.sessionId, { stackRequest });
        return true;
      },
    };
  }

  #node(target: string): Target | undefined {
    const { nodes } = this.#deps;
    const node = nodes
      .all()
      .find(({ nodeId, hostname, pid }) => [nodeId, hostname, String(pid)].includes(target));
    if (node === undefined) return undefined;
    return {
      title: `node ${node.nodeId} on ${node.hostname}`,
      pid: node.pid,
      ask: (stackRequest) => nodes.send(node.nodeId, { stackRequest }),
    };
  }
}

/** Returns the full name in a target. "default/name" is another way to write "name". */
function fullNameIn(target: string): string {
  const prefix = `${defaultNamespace}/`;
  return target.startsWith(prefix) ? target.slice(prefix.length) : target;
}
