/** `setImmediate` of node:timers/promises: the next turn of the event loop, which a browser's timers give only after milliseconds. */
const { port1, port2 } = new MessageChannel();
const waiting: (() => void)[] = [];
port1.onmessage = () => waiting.shift()?.();

export const setImmediate = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(0);
  });
