/** What providers need to know about the head. */
export interface ProviderContext {
  readonly clusterName: string;
  /** host:port of the head, which is known once it leads. */
  readonly address: () => string;
  /** The command that starts a node on this machine. */
  readonly command: readonly string[];
  /** Returns the cluster's current token. */
  readonly token: () => string;
  /** Folder with certificates of the role node; "" without TLS. */
  readonly tls: string;
  /** Folder of the nodes of this machine unless the configuration names another. */
  readonly defaultFolder: string;
}
