import { connect } from "node:net";
import { isProcessAlive, PalimpsestError } from "@palimpsest/wire";
import type { HeadAddress } from "@palimpsest/wire/local-head";
import { portOf } from "./head-files.js";

/** Refuses to start next to a head that runs on the same folder. @throws {PalimpsestError} ALREADY_EXISTS */
export async function refuseSecondHead(before: HeadAddress | undefined): Promise<void> {
  if (!before || before.pid === 0) return;
  if (!isProcessAlive(before.pid) || !(await accepts(before.address))) return;
  throw new PalimpsestError(
    "ALREADY_EXISTS",
    `a head already runs with this data folder, pid ${before.pid} at ${before.address}: stop it or use another data folder`,
  );
}

function accepts(address: string): Promise<boolean> {
  const host = address.slice(0, address.lastIndexOf(":")).replace(/^\[|\]$/g, "");
  return new Promise((resolve) => {
    const socket = connect({ host, port: portOf(address), timeout: 1_000 });
    const answer = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once("connect", () => answer(true));
    socket.once("timeout", () => answer(false));
    socket.once("error", () => answer(false));
  });
}
