/** Whether a page of this origin was loaded from the requested host. Port and scheme may differ. */
export function isOwnOrigin(origin: string, hostHeader: string | undefined): boolean {
  const from = hostnameOf(origin);
  return from !== undefined && from === hostnameOf(`http://${hostHeader ?? ""}`);
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname.toLowerCase() : undefined;
}
