/** Routes about profiles: starting one, how far it is, and the last one as a file. */
import { profileRequestSchema } from "../api/profiles.js";
import type { DashboardCluster } from "./cluster-routes.js";
import { sendBytes } from "./exchange.js";
import { ProfileRun } from "./profile-run.js";
import type { Route } from "./routes.js";

export function profileRoutes(cluster: DashboardCluster): readonly Route[] {
  const run = new ProfileRun(cluster);
  return [
    {
      method: "POST",
      path: "/profiles",
      answer: async (exchange) =>
        await exchange.json(await run.start(await exchange.body(profileRequestSchema), exchange.caller)),
    },
    {
      method: "GET",
      path: "/profiles",
      answer: async (exchange) => await exchange.json(run.state),
    },
    {
      method: "GET",
      path: "/profiles/*",
      answer: async ({ request, response, id }) => await sendBytes(request, response, run.file(id)),
    },
  ];
}
