/** Reads the stack of this process's main thread from another thread, and profiles it. */
import { Session } from "node:inspector";
import {
  type Debuggee,
  type Profilee,
  type ProfileOptions,
  type ProfileReading,
  readProfile,
  readStack,
  type StackReading,
} from "@palimpsest/wire";

let last: Promise<unknown> = Promise.resolve();

/** Call it in a worker thread. Requests are answered one after the other. */
export function mainThreadStack(): Promise<StackReading> {
  const read = () => withMainThread(readStack);
  const answer = last.then(read, read);
  last = answer;
  return answer;
}

/** Call it in a worker thread. */
export function mainThreadProfile(options: ProfileOptions): Promise<ProfileReading> {
  return withMainThread((profilee) => readProfile(profilee, options));
}

async function withMainThread<T>(work: (thread: Debuggee & Profilee) => Promise<T>): Promise<T> {
  const session = new Session();
  session.connectToMainThread();
  const thread: Debuggee & Profilee = {
    on: (event: string, listener: (params: never) => void) => {
      session.on(event, ({ params }: { readonly params: unknown }) => listener(params as never));
    },
    command: (method: string, params: object = {}) =>
      new Promise((resolve, reject) => {
        session.post(method, params, (error, result) => (error ? reject(error) : resolve(result)));
      }),
  };
  try {
    return await work(thread);
  } finally {
    session.disconnect();
  }
}
