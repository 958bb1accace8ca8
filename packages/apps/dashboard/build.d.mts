/** Bundles the front end; default folder `dist/page`. */
export function buildPages(folder?: string): Promise<void>;
