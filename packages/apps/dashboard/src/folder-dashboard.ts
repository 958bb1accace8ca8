/** The dashboard of folders of runs, and of a profile that was taken, without a cluster. */

import { systemClock } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import { Credentials, newToken, PalimpsestError } from "@palimpsest/wire";
import { givenProfileId } from "./api/profiles.js";
import type { Session } from "./api/session.js";
import { pageFolder } from "./dashboard.js";
import { RunData } from "./runs/run-data.js";
import { sendBytes } from "./server/exchange.js";
import { PageFiles } from "./server/page-files.js";
import type { Route } from "./server/routes.js";
import { runRoutes } from "./server/run-routes.js";
import { type RunningServer, serve } from "./server/serve.js";
import { SignIns } from "./server/sign-ins.js";

export interface FolderDashboardOptions {
  readonly host: string;
  readonly port: number;
  readonly runs: readonly string[];
  /** The text of a profile's file, which the page of profiles shows. */
  readonly profile?: string;
  readonly logger: Logger;
}

/**
 * A running dashboard with its token. Each start creates a token for this server alone, so that other users of the
 * machine and pages of other sites have no access.
 */
export interface FolderDashboard extends RunningServer {
  readonly token: string;
  /** Returns how many runs its folders hold now. */
  readonly countRuns: () => Promise<number>;
}

export async function startFolderDashboard(options: FolderDashboardOptions): Promise<FolderDashboard> {
  const { host, port, logger } = options;
  const runs = new RunData(options.runs);
  const token = newToken();
  const credentials = Credentials.ofCluster(token);
  const session: Session = {
    source: "folders",
    role: "reader",
    mayChange: false,
    clusterId: "",
    clusterName: "",
    version: "",
    startedAtMs: Date.now(),
  };
  const server = await serve({
    host,
    port,
    logger,
    files: new PageFiles(pageFolder),
    signIns: new SignIns(systemClock, () => token),
    routes: [
      { method: "GET", path: "/session", answer: async (exchange) => await exchange.json(session) },
      ...runRoutes(runs),
      ...(options.profile === undefined ? [] : [givenProfile(options.profile)]),
    ],
    admit({ authorization }) {
      if (credentials.identify(authorization) === undefined)
        throw new PalimpsestError(
          "UNAUTHENTICATED",
          "the token is wrong: use the one that this server printed",
        );
    },
  });
  return {
    ...server,
    token,
    countRuns: async () => (await runs.runs()).rows.length,
    async close() {
      await server.close();
      await runs.close();
    },
  };
}

function givenProfile(text: string): Route {
  const file = Buffer.from(text);
  return {
    method: "GET",
    path: `/profiles/${givenProfileId}`,
    answer: async ({ request, response }) => await sendBytes(request, response, file),
  };
}
