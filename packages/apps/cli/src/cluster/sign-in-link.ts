/** The link to a dashboard that signs in: with the part behind #, which browsers send to nobody. */
export function signInLink(dashboardAddress: string, token: string): string {
  return `http://${dashboardAddress}/#/sign-in?${new URLSearchParams({ token })}`;
}
