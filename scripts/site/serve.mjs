// A server of the built site on loopback, compressed as hosts of static pages do it.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { pipeline } from "node:stream";
import { createGzip } from "node:zlib";

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
  ".md": "text/markdown; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
};
const isText = (type) => /^text|json|svg|wasm/.test(type);

/** The file of a path, or nothing. */
function fileOf(folder, path) {
  const file = join(folder, normalize(path));
  const found = [file, join(file, "index.html")].find((one) =>
    statSync(one, { throwIfNoEntry: false })?.isFile(),
  );
  return found?.startsWith(join(folder, "/")) ? found : undefined;
}

/**
 * Serves a folder below a path.
 *
 * @returns {Promise<{ origin: string, close(): Promise<void> }>}
 */
export async function serveSite(folder, base) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    const path = decodeURIComponent(pathname);
    const file = path.startsWith(base) ? fileOf(folder, path.slice(base.length)) : undefined;
    if (file === undefined) {
      response.writeHead(404, { "content-type": "text/plain" }).end("not found\n");
      return;
    }
    const type = types[extname(file)] ?? "application/octet-stream";
    const zips = isText(type) && /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
    response.writeHead(200, { "content-type": type, ...(zips && { "content-encoding": "gzip" }) });
    const steps = [createReadStream(file), ...(zips ? [createGzip()] : []), response];
    pipeline(steps, () => {});
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}
