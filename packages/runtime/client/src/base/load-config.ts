import { PalimpsestError } from "@palimpsest/wire";

let config: typeof import("./config.js") | undefined;

/**
 * Loads the schemas of options, and zod with them, for the first program that connects or creates a placement group.
 * Later calls import nothing, because an import yields to the event loop each time, even for a
 * loaded module.
 */
export async function loadConfig(): Promise<typeof import("./config.js")> {
  config ??= await import("./config.js");
  return config;
}

/** The same module, which every connection has loaded: what is declared on one is checked at once. */
export function loadedConfig(): typeof import("./config.js") {
  if (config === undefined)
    throw new PalimpsestError("INTERNAL", "options are read before a connection: call loadConfig() first");
  return config;
}
