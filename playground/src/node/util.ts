/** What the packages take from node:util in a browser: a value as it stands in an error's message. */
export const inspect = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : String(value);
