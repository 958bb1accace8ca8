/** Lists the pages in the order of their tabs and of the keys 1 to 9. */
import type { ComponentType } from "preact";
import { AlertsPage } from "../alerts/alerts-page.js";
import { ClusterPage } from "../cluster/cluster-page.js";
import { EventsPage } from "../cluster/events-page.js";
import { JobsPage } from "../jobs/jobs-page.js";
import { ObjectsPage } from "../objects/objects-page.js";
import { ProfilePage } from "../profile/profile-page.js";
import { RunsPage } from "../runs/runs-page.js";
import { TimelinePage } from "../timeline/timeline-page.js";
import { TrainingPage } from "../training/training-page.js";

export interface Page {
  readonly path: string;
  readonly title: string;
  readonly view: ComponentType;
  /** The sources for which the page has something to show. */
  readonly sources: readonly ("cluster" | "folders")[];
}

export const pages: readonly Page[] = [
  { path: "cluster", title: "Cluster", view: ClusterPage, sources: ["cluster"] },
  { path: "jobs", title: "Jobs", view: JobsPage, sources: ["cluster"] },
  { path: "training", title: "Training", view: TrainingPage, sources: ["cluster", "folders"] },
  { path: "runs", title: "Runs", view: RunsPage, sources: ["cluster", "folders"] },
  { path: "timeline", title: "Timeline", view: TimelinePage, sources: ["cluster"] },
  { path: "objects", title: "Objects", view: ObjectsPage, sources: ["cluster"] },
  { path: "alerts", title: "Alerts", view: AlertsPage, sources: ["cluster", "folders"] },
  { path: "events", title: "Events", view: EventsPage, sources: ["cluster"] },
  { path: "profile", title: "Profile", view: ProfilePage, sources: ["cluster", "folders"] },
];
