import type { SimProcess } from "./process.js";

export interface SimEvent {
  readonly atMs: number;
  readonly sequence: number;
  readonly process: SimProcess | undefined;
  readonly callback: () => void;
  cancelled: boolean;
}

/** Events in order of time; those of the same time in the order in which they were added. */
export class EventHeap {
  readonly #events: SimEvent[] = [];

  peek(): SimEvent | undefined {
    return this.#events[0];
  }

  push(event: SimEvent): void {
    const events = this.#events;
    let index = events.length;
    events.push(event);
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = events[above];
      if (parent === undefined || !earlier(event, parent)) break;
      events[index] = parent;
      index = above;
    }
    events[index] = event;
  }

  pop(): void {
    const events = this.#events;
    const last = events.pop();
    if (last === undefined || events.length === 0) return;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      let child = events[below];
      if (child === undefined) break;
      const right = events[below + 1];
      if (right !== undefined && earlier(right, child)) {
        below++;
        child = right;
      }
      if (!earlier(child, last)) break;
      events[index] = child;
      index = below;
    }
    events[index] = last;
  }
}

function earlier(left: SimEvent, right: SimEvent): boolean {
  return left.atMs < right.atMs || (left.atMs === right.atMs && left.sequence < right.sequence);
}
