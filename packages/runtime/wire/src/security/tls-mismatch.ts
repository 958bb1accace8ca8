import { connect } from "node:net";
import { connect as connectTls } from "node:tls";

const probeMs = 2_000;

/**
 * Says that a server speaks TLS where this process does not, or the other way round, for an error whose cause gRPC does not know;
 * "" if that is not so, or nobody listens there. It sends a greeting of TLS and no secret.
 * @param address host:port; an IPv6 host stands in brackets
 * @param usesTls whether this process has a certificate for the server
 */
export async function tlsMismatch(address: string, usesTls: boolean): Promise<string> {
  const [, host, port] = /^(?:dns:\/*)?\[?([^\]]+?)\]?:(\d+)$/.exec(address) ?? [];
  if (host === undefined) return "";
  const speaks = await speaksTls(host, Number(port));
  if (speaks === undefined || speaks === usesTls) return "";
  return speaks
    ? "it speaks TLS: give the folder of a certificate with --tls, tls or PALIMPSEST_TLS"
    : "it speaks no TLS: leave --tls, tls and PALIMPSEST_TLS out, or start the head with --tls";
}

function speaksTls(host: string, port: number): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (speaks: boolean | undefined) => {
      socket.destroy();
      resolve(speaks);
    };
    const timer = setTimeout(() => end(undefined), probeMs);
    socket.once("close", () => clearTimeout(timer));
    socket.once("error", () => end(undefined));
    socket.once("connect", () => {
      // Whether the certificate is trusted is of no interest, because nothing is sent.
      const probe = connectTls({ socket, rejectUnauthorized: false, ALPNProtocols: ["h2"] });
      probe.once("secureConnect", () => end(true));
      // An alert of TLS is an answer in TLS; any other bytes are none.
      probe.once("error", ({ message }) => end(/alert/i.test(message)));
    });
  });
}
