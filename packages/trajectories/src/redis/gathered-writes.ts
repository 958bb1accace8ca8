import { Redis } from "ioredis";

/**
 * A client that sends the commands of one turn of the event loop in a single write. Many jobs run at once in one
 * process, and a separate write for each of their commands would cost this process and Redis more than the command
 * does. Order and answers are those of any other client.
 */
export class GatheringRedis extends Redis {
  override sendCommand(...args: Parameters<Redis["sendCommand"]>): unknown {
    const { stream } = this;
    if (stream !== undefined && stream.writableCorked === 0) {
      stream.cork();
      setImmediate(() => stream.uncork());
    }
    return super.sendCommand(...args);
  }
}
