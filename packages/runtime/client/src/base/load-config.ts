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
