/** What the packages take from node:url in a browser: names of files of threads, which none of them starts there. */
export const fileURLToPath = (url: URL | string): string => new URL(url).pathname;
