// For users: loggers and metrics of a process.

// For other packages: the catalog and what documents it.
export {
  catalog,
  type LabelsOf,
  type MetricDefinition,
  type MetricGroup,
  type MetricName,
  type MetricNameOf,
  type MetricType,
  type MetricUnit,
  metricGroups,
} from "./catalog.js";
export { catalogMarkdown } from "./catalog-markdown.js";
export {
  createLogger,
  type LogFormat,
  type Logger,
  type LoggerOptions,
  type LogLevel,
  logLevels,
} from "./logger.js";
export { createMetrics, type Metrics, type MetricsOptions } from "./metrics.js";
export {
  type MetricsGuard,
  type MetricsServer,
  type MetricsServerOptions,
  type ScrapeTarget,
  serveMetrics,
} from "./metrics-server.js";
export { redactText } from "./redaction.js";
export type {
  SpanAttributes,
  SpanKind,
  SpanOptions,
  TraceSpan,
  Tracing,
  TracingOptions,
} from "./tracing/trace-span.js";
export { isTraced, openTracing, tracing } from "./tracing/tracing.js";
export { openListener, type WebListener, type WebListenerOptions } from "./web-listener.js";
