import { Redis } from "ioredis";

/** A client that sends what is asked of it within one turn of the event loop in one write: many jobs run at once in one
 *  process, and a write of its own for each of their commands costs this process and Redis more than the command does.
 *  Order and answers are those of any other client. */
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
