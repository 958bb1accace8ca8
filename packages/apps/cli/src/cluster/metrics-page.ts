/**
 * Shows how to read the metrics page of a process with a shell command, because a browser gets 401 without
 * credentials.
 */
import { join, resolve } from "node:path";
import { shellWord } from "@palimpsest/std";
import { tlsFiles } from "@palimpsest/wire";

/** Returns the URL of a metrics page; empty if there is no page. */
export function pageUrl(address: string, tls: boolean): string {
  return address === "" ? "" : `${tls ? "https" : "http"}://${address}/metrics`;
}

/**
 * Returns a shell command that prints the page: with the token of readers, which is in the head's folder, or under
 * TLS with the certificate of a folder.
 */
export function pageCommand(url: string, how: { readonly headDir: string; readonly tls: string }): string {
  if (url === "") return "off";
  if (how.tls === "") {
    return `curl -H "Authorization: Bearer $(cat ${shellWord(join(how.headDir, "reader-token"))})" ${url}`;
  }
  const [ca, cert, key] = [tlsFiles.ca, tlsFiles.cert, tlsFiles.key].map((name) =>
    shellWord(resolve(how.tls, name)),
  );
  // Every certificate carries the name palimpsest, and none carries the address of a process.
  const { hostname, port } = new URL(url);
  return `curl --cacert ${ca} --cert ${cert} --key ${key} --connect-to ::${hostname}:${port} https://palimpsest/metrics`;
}
