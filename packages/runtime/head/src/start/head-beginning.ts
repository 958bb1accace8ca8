/** Defines what the parts of a head's start receive, and how all of them are ended. */
import { hostname } from "node:os";
import type { Logger } from "@palimpsest/telemetry";
import type { Credentials } from "@palimpsest/wire";
import type { HeadAddress } from "@palimpsest/wire/local-head";
import type { HeadConfig } from "../rules/config.js";
import type { HeadDeps } from "./head-deps.js";

/** The functions that end each part, in the order in which the parts began. */
export interface Parts {
  readonly endings: (() => Promise<void> | void)[];
  readonly logger: Logger;
  stopNodes: () => Promise<void>;
  leaveRedis: boolean;
  /** Whether another head leads, so that nothing may be written to the store any more. */
  deposed: boolean;
}

/** Ends all parts, the last one first. A failure is logged and does not prevent the others from ending. */
export async function endAll(parts: Parts): Promise<void> {
  for (const end of parts.endings.splice(0).reverse()) {
    try {
      await end();
    } catch (reason) {
      parts.logger.error({ err: reason }, "a part of the head failed to close");
    }
  }
}

export interface Beginning {
  readonly config: HeadConfig;
  readonly deps: HeadDeps;
  readonly parts: Parts;
  readonly credentials: Credentials;
  readonly shutdown: (how: { readonly all: boolean; readonly restart: boolean }) => void;
  /** The address that the last head of this folder recorded. */
  readonly before: HeadAddress | undefined;
}

/** Returns the name or address under which other machines reach this one. */
export function advertisedHost(config: HeadConfig): string {
  if (config.advertiseHost !== undefined) return config.advertiseHost;
  return config.host === "0.0.0.0" || config.host === "::" ? hostname() : config.host;
}
