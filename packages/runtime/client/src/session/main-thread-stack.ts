/** Reads the stack of this process's main thread from another thread. */
import { Session } from "node:inspector";
import { type Debuggee, readStack, type StackReading } from "@palimpsest/wire";

let last: Promise<unknown> = Promise.resolve();

/** Call it in a worker thread. Requests are answered one after the other. */
export function mainThreadStack(): Promise<StackReading> {
  const answer = last.then(read, read);
  last = answer;
  return answer;
}

async function read(): Promise<StackReading> {
  const session = new Session();
  session.connectToMainThread();
  const debuggee: Debuggee = {
    on: (event: string, listener: (params: never) => void) => {
      session.on(event, ({ params }: { readonly params: unknown }) => listener(params as never));
    },
    command: (method: string, params: object = {}) =>
      new Promise((resolve, reject) => {
        session.post(method, params, (error, result) => (error ? reject(error) : resolve(result)));
      }),
  };
  try {
    return await readStack(debuggee);
  } finally {
    session.disconnect();
  }
}
