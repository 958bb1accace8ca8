/**
 * Responsibility: the functions of a module as tasks: finding them by name, and the context of the running task.
 * Not responsible for: when they run (mailbox.ts), or one call (invocation.ts).
 */
import { type ActorContext, setTaskContext, type TaskContext } from "@palimpsest/client";
import { exportOf, notExported } from "../base/actor-class.js";
import type { StartedMark } from "../base/started-mark.js";
import type { Method } from "../calls/invocation.js";
import type { TaskFunctions } from "../host/actor-host.js";

export class ModuleFunctions implements TaskFunctions {
  readonly #module: Readonly<Record<string, unknown>>;
  readonly #moduleUrl: string;
  readonly #context: ActorContext;
  readonly #mark: StartedMark | undefined;
  #unsure = false;

  constructor(
    module: Readonly<Record<string, unknown>>,
    moduleUrl: string,
    context: ActorContext,
    mark: StartedMark | undefined,
  ) {
    this.#module = module;
    this.#moduleUrl = moduleUrl;
    this.#context = context;
    this.#mark = mark;
  }

  methodOf(name: string): Method {
    const exported = exportOf(this.#module, name);
    if (typeof exported === "function") return exported as Method;
    throw notExported(this.#module, this.#moduleUrl, `function ${name}`);
  }

  abandoned(): void {
    process.stderr.write("no client has used this worker for a minute: it ends\n");
    process.kill(process.pid, "SIGTERM");
  }

  started(callId: number, signal: () => AbortSignal, alone: boolean): void {
    // The numbers of calls from different callers cannot be compared.
    this.#unsure ||= !alone;
    this.#mark?.write(this.#unsure ? Number.MAX_SAFE_INTEGER : callId);
    let made: TaskContext | undefined;
    setTaskContext(() => {
      made ??= this.#contextWith(signal);
      return made;
    });
  }

  #contextWith(signal: () => AbortSignal): TaskContext {
    const context = this.#context;
    return {
      actorId: context.actorId,
      nodeId: context.nodeId,
      jobId: context.jobId,
      clusterId: context.clusterId,
      headAddress: context.headAddress,
      environment: context.environment,
      objects: context.objects,
      logger: context.logger,
      metrics: context.metrics,
      get signal() {
        return signal();
      },
      connect: () => context.connect(),
    };
  }
}
