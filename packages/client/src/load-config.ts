let config: typeof import("./config.js") | undefined;

/**
 * The schemas of options, which take zod along: loaded by the first program that connects or makes a placement group. Later
 * calls wait for no module: an import gives way to the event loop each time, also of what is loaded.
 */
export async function loadConfig(): Promise<typeof import("./config.js")> {
  config ??= await import("./config.js");
  return config;
}
