export { type DashboardOptions, pageFolder, startDashboard } from "./dashboard.js";
export {
  type FolderDashboard,
  type FolderDashboardOptions,
  startFolderDashboard,
} from "./folder-dashboard.js";
export { type ExportedRuns, exportRuns } from "./runs/export-runs.js";
export type { DashboardCluster } from "./server/cluster-routes.js";
export type { RunningServer } from "./server/serve.js";
