/**
 * The link to a dashboard that signs in: with the part behind #, which browsers send to nobody.
 * @param to where the pages open, as the part of their address behind #/
 */
export function signInLink(dashboardAddress: string, token: string, to = ""): string {
  const query = new URLSearchParams({ token, ...(to === "" ? {} : { to }) });
  return `http://${dashboardAddress}/#/sign-in?${query}`;
}
