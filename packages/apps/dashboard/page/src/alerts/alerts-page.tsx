/** Shows what needs a person's attention, and what somebody has acknowledged in this browser. */
import { type Alert, alertKey } from "../../../src/analysis/alerts.js";
import { usePoll } from "../data/poll.js";
import { linkTo } from "../data/route.js";
import { timeText } from "../parts/format.js";
import { Card, Loading, Problem } from "../parts/state.js";
import { acknowledge, isAcknowledged, loadAlerts } from "./watch-alerts.js";

export function AlertsPage() {
  const { now } = usePoll(loadAlerts, 3_000);
  const { value, error } = now.value;
  const open = value?.filter((alert) => !isAcknowledged(alert)) ?? [];
  const seen = value?.filter(isAcknowledged) ?? [];
  return (
    <>
      <h1>Alerts</h1>
      <Problem text={error} />
      {value === undefined ? (
        <Loading />
      ) : (
        <div data-alerts={open.length}>
          <ul class="alerts">
            {open.map((alert) => (
              <Row key={alertKey(alert)} alert={alert} isSeen={false} />
            ))}
          </ul>
          {open.length === 0 ? (
            <section class="card calm">
              <p class="good">Nothing needs attention.</p>
              <p class="dim small">
                Watched: silent and dead nodes, requests that wait or can never be placed, failed jobs and
                queues, the autoscaler, and the metrics of the newest runs.
              </p>
            </section>
          ) : null}
          {seen.length > 0 ? (
            <Card title="Acknowledged in this browser">
              <ul class="alerts">
                {seen.map((alert) => (
                  <Row key={alertKey(alert)} alert={alert} isSeen={true} />
                ))}
              </ul>
            </Card>
          ) : null}
        </div>
      )}
    </>
  );
}

function Row({ alert, isSeen }: { readonly alert: Alert; readonly isSeen: boolean }) {
  const tone = isSeen ? "dim" : alert.severity === "error" ? "bad" : "warn";
  return (
    <li class={`card ${isSeen ? "seen" : alert.severity}`}>
      <div>
        <b class={tone}>{alert.title}</b>{" "}
        {alert.sinceMs > 0 ? <time>since {timeText(alert.sinceMs)}</time> : null}
        <p>{alert.text}</p>
      </div>
      <p class="tools">
        <a href={linkTo(alert.place)}>open</a>
        <button type="button" class="quiet" onClick={() => acknowledge(alert, !isSeen)}>
          {isSeen ? "Show again" : "Acknowledge"}
        </button>
      </p>
    </li>
  );
}
