/**
 * The process of one actor, or of the light actors that share it. Its node starts it with a channel and sends
 * ActorProcessStart, at once or, for a warm process, when an actor needs one. The process answers with
 * ActorProcessEvent. It ends when the node orders it (SIGTERM) or is gone (the channel closes).
 */
import { fstatSync, statSync } from "node:fs";
import { Socket } from "node:net";
import { errorToProto, FramePipe, freeText, thrownMessage, thrownText } from "@palimpsest/wire";
import {
  ActorProcessEvent,
  ActorProcessOrder,
  type ActorProcessStart,
  type ProcessCredentials,
  type TaskReport,
} from "@palimpsest/wire/protocol";
import { type RunningActorProcess, startActorProcess } from "./actor-process.js";
import { rehearse } from "./rehearsal.js";
import { SharedProcess } from "./shared-process.js";

/** The exit code after a failed constructor, whose error has been sent to the node by then. */
const constructorFailedCode = 70;

/** A process that has no orders for this long is one that waits for its actor. */
const rehearsalAfterMs = 20;

/** The file descriptor of the channel. User code does not see it, unlike Node's own IPC channel. */
const channelFd = 3;

let channel: FramePipe | undefined;
let running: Promise<RunningActorProcess> | undefined;
let shared: Promise<SharedProcess> | undefined;

function tell(event: ActorProcessEvent.$Properties): Promise<void> {
  return new Promise((resolve) => {
    // If the channel is closed, there is no receiver.
    if (!channel) resolve();
    else channel.send(ActorProcessEvent.encode(event).finish(), resolve);
  });
}

async function start(message: ActorProcessStart.$Properties, isShared: boolean): Promise<void> {
  void tell({ received: {} });
  // The flag --enable-source-maps cannot be set for a running process. Bundles contain source maps, and stacks should
  // name the user's files.
  if (message.spec?.code?.bundle) process.setSourceMapsEnabled(true);
  const onTasks = (taskReport: TaskReport.$Properties) => void tell({ taskReport });
  if (isShared) {
    shared = SharedProcess.start(message, process.env, {
      tell: (news) => void tell({ shared: news }),
      onTasks,
    });
    running = shared;
  } else {
    const onExit = (reason: unknown) => void tell({ exiting: { reason: freeText(thrownMessage(reason)) } });
    running = startActorProcess(message, process.env, onExit, onTasks);
  }
  try {
    const { ready } = await running;
    await tell({ ready });
  } catch (reason) {
    const error = errorToProto(reason);
    process.stderr.write(`${error.cause?.stack || error.stack || error.message}\n`);
    await tell({ failed: error });
    process.exit(constructorFailedCode);
  }
}

/** Waits until the start has ended, because the process has its first credentials by then. */
async function adopt(credentials: ProcessCredentials.$Properties): Promise<void> {
  const actor = await running?.catch(() => undefined);
  try {
    actor?.adopt(credentials);
  } catch (reason) {
    // An actor keeps its present credentials, with which it can work without its node until it ends.
    process.stderr.write(`new credentials cannot be used: ${errorToProto(reason).message}\n`);
  }
}

async function stop(): Promise<void> {
  try {
    await (await running)?.stop();
  } catch (reason) {
    process.stderr.write(`stop() failed: ${thrownText(reason)}\n`);
    process.exit(1);
  }
  process.exit(0);
}

/** Ends this process and everything that the actor has started in its process group, because the node is gone. */
function endWithGroup(): void {
  try {
    process.kill(-process.pid, "SIGKILL");
  } catch {
    // The process leads no process group, so it ends only itself.
  }
  process.exit(0);
}

function hasChannel(): boolean {
  try {
    return fstatSync(channelFd).isSocket();
  } catch {
    // No such file descriptor is open.
    return false;
  } finally {
    // Node.js keeps the kind of the file that was looked at last, and its realpath() reads that: after a socket it stops at
    // the first folder that it knows, and modules behind links would be loaded a second time, under another name.
    statSync("/");
  }
}

/** Takes the node's orders, as long as this process lives. */
export function runProgram(): void {
  if (!hasChannel()) {
    process.stderr.write("this program must be started by a Palimpsest node, with a channel to it\n");
    process.exit(64);
  }
  // An actor that the process is started for is named at once; a process that waits prepares itself for one.
  const rehearsal = setTimeout(() => {
    rehearse().catch((reason: unknown) => {
      process.stderr.write(`the rehearsal failed: ${errorToProto(reason).message}\n`);
    });
  }, rehearsalAfterMs);
  channel = new FramePipe(new Socket({ fd: channelFd, readable: true, writable: true }), {
    onFrame: (bytes) => {
      clearTimeout(rehearsal);
      const order = ActorProcessOrder.decode(bytes);
      if (order.start) void start(order.start, false);
      else if (order.startShared) void start(order.startShared, true);
      // The node sends the first of these only after the process was ready.
      else if (order.shared) void shared?.then((one) => one.carryOut(order.shared ?? {}));
      else if (order.ping) void tell({ answering: {} });
      else if (order.credentials) void adopt(order.credentials);
    },
    onClosed: endWithGroup,
  });
  process.once("SIGTERM", () => void stop());
  // Ctrl-C in a terminal reaches the whole process group; the node decides what ends.
  process.on("SIGINT", () => undefined);
  void tell({ loaded: {} });
}
