export { functionCosts } from "./analysis/call-tree.js";
export { type Profile, profileFile } from "./analysis/profile-file.js";
export { mostProcesses, processesOf } from "./analysis/profiled-processes.js";
export { givenProfileId } from "./api/profiles.js";
export { type DashboardOptions, pageFolder, startDashboard } from "./dashboard.js";
export {
  type FolderDashboard,
  type FolderDashboardOptions,
  startFolderDashboard,
} from "./folder-dashboard.js";
export { type ExportedRuns, exportRuns } from "./runs/export-runs.js";
export type { DashboardCluster } from "./server/cluster-routes.js";
export { withPhases } from "./server/process-phases.js";
export type { RunningServer } from "./server/serve.js";
