import { Session } from "node:inspector/promises";
import { type ProfileOptions, type ProfileReading, readProfile } from "@palimpsest/wire";

/** Profiles this process's own thread, which goes on with its work meanwhile. */
export async function ownProfile(options: ProfileOptions): Promise<ProfileReading> {
  const session = new Session();
  session.connect();
  try {
    const command = (method: string, params: object = {}): Promise<unknown> => session.post(method, params);
    return await readProfile({ command }, options);
  } finally {
    session.disconnect();
  }
}
