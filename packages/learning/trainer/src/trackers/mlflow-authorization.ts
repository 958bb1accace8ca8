/**
 * The authorization header for MLflow, from the variables that its own clients read: MLFLOW_TRACKING_TOKEN, or
 * MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD. Undefined if none is set.
 */
export function mlflowAuthorization(environment: NodeJS.ProcessEnv): string | undefined {
  const token = environment["MLFLOW_TRACKING_TOKEN"];
  if (token) return `Bearer ${token}`;
  const name = environment["MLFLOW_TRACKING_USERNAME"];
  const password = environment["MLFLOW_TRACKING_PASSWORD"];
  if (!name || !password) return undefined;
  return `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
}
