/** Without a port gRPC would dial 443. */
const one = /^\s*(?:\[[^\]\s]+\]|[^\s:/[\]]+):(\d{1,5})\s*$/;
const highestPort = 65_535;

export const addressForm =
  "give HOST:PORT, such as 127.0.0.1:7420 or [::1]:7420, or several with commas between them";

/** Returns whether a text names one head, or several with commas between them. */
export function isAddress(address: string): boolean {
  return address.split(",").every((part) => {
    const port = Number(one.exec(part)?.[1]);
    return port > 0 && port <= highestPort;
  });
}
